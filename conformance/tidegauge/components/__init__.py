"""One folder a component: vocabulary, binding to the reference, generators, properties, vectors."""
