"""The monitor: findings about a job while the job runs."""
