"""The contract that all games speak, and what follows from it. `docs/contract.md` explains it on one page."""
