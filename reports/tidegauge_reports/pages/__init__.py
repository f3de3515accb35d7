"""What all pages share: how foreign texts become HTML, both themes, the look of plain elements."""
