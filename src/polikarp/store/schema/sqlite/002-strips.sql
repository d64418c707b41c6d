-- The photo of the race that a move ended.
ALTER TABLE steps ADD COLUMN strip BLOB;
