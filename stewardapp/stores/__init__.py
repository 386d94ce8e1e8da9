"""Where finished sealed files lie: a folder, or a bucket of a store far away. `storage` alone comes here."""
