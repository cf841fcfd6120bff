"""What a memory is, and how it is read: documents, dialects, scanning, stores, health."""
