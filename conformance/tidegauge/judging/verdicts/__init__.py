"""The verdict on each rule, from what the components and the jobs prove of it."""
