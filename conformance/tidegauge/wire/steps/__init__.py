"""The setup, the steps and the scenario of each component: their JSON is the wire form."""
