"""Where finished sealed files lie: a folder of this machine. `storage` alone comes here."""
