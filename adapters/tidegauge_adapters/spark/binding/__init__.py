"""How a stateful processor is bound to a component: its rows, and one processor for each setup."""
