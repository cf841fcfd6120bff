"""Why was it not recalled? The ladder, the margin, the near misses and the verified remedies.

``target`` finds the document that is meant, ``ladder`` tells where it was lost, ``explain`` answers
in full; the other modules are parts of these.
"""
