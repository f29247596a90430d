"""Query text: tokens, grammar, conditions; a caret at every mistake."""
