"""What source coordinators and the subtasks of a source decide, and what a source says in band."""
