"""How the history of each component is drawn: its lanes, and what each step does to them."""
