"""What all pages share: state, headings, links, charts and the way to the runtime."""
