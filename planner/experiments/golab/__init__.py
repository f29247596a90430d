"""Golab & Özsu 2003: multi-way window joins."""
