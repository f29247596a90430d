"""What the pages share: state, cards, tables, figures and the way to the runtime."""
