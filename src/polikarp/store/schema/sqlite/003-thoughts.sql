-- What a bot considered before its move.
ALTER TABLE steps ADD COLUMN thoughts BLOB;
