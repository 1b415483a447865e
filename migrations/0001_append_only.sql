-- Ledger tables are append-only. What may change, once, is a payload that an erasure or a pruning has released:
-- it is overwritten by blanks of the same number of bytes, in place, so that no page of the file is rearranged
-- and no stale copy of the text is left in one.
--> statement-breakpoint
CREATE TRIGGER store_no_delete BEFORE DELETE ON store
BEGIN SELECT RAISE(ABORT, 'append-only: store'); END;
--> statement-breakpoint
CREATE TRIGGER store_no_update BEFORE UPDATE ON store
BEGIN SELECT RAISE(ABORT, 'append-only: store'); END;
--> statement-breakpoint
CREATE TRIGGER collection_no_delete BEFORE DELETE ON collection
BEGIN SELECT RAISE(ABORT, 'append-only: collection'); END;
--> statement-breakpoint
CREATE TRIGGER collection_no_update BEFORE UPDATE ON collection
BEGIN SELECT RAISE(ABORT, 'append-only: collection'); END;
--> statement-breakpoint
CREATE TRIGGER collection_name_no_delete BEFORE DELETE ON collection_name
BEGIN SELECT RAISE(ABORT, 'append-only: collection_name'); END;
--> statement-breakpoint
CREATE TRIGGER collection_name_no_update BEFORE UPDATE ON collection_name
BEGIN SELECT RAISE(ABORT, 'append-only: collection_name'); END;
--> statement-breakpoint
CREATE TRIGGER source_no_delete BEFORE DELETE ON source
BEGIN SELECT RAISE(ABORT, 'append-only: source'); END;
--> statement-breakpoint
CREATE TRIGGER source_no_update BEFORE UPDATE ON source
BEGIN SELECT RAISE(ABORT, 'append-only: source'); END;
--> statement-breakpoint
CREATE TRIGGER gap_no_delete BEFORE DELETE ON gap
BEGIN SELECT RAISE(ABORT, 'append-only: gap'); END;
--> statement-breakpoint
CREATE TRIGGER gap_no_update BEFORE UPDATE OF id, source ON gap
BEGIN SELECT RAISE(ABORT, 'append-only: gap'); END;
--> statement-breakpoint
CREATE TRIGGER gap_only_released BEFORE UPDATE OF text ON gap
WHEN NOT (OLD.source IS NOT NULL AND EXISTS (SELECT 1 FROM erasure e CROSS JOIN span s ON s.id = e.span WHERE s.source = OLD.source) AND (NEW.text IS NULL) = (OLD.text IS NULL) AND trim(coalesce(NEW.text, ''), ' ') = '')
BEGIN SELECT RAISE(ABORT, 'append-only: gap'); END;
--> statement-breakpoint
CREATE TRIGGER page_no_delete BEFORE DELETE ON page
BEGIN SELECT RAISE(ABORT, 'append-only: page'); END;
--> statement-breakpoint
CREATE TRIGGER page_no_update BEFORE UPDATE ON page
BEGIN SELECT RAISE(ABORT, 'append-only: page'); END;
--> statement-breakpoint
CREATE TRIGGER revision_no_delete BEFORE DELETE ON revision
BEGIN SELECT RAISE(ABORT, 'append-only: revision'); END;
--> statement-breakpoint
CREATE TRIGGER revision_no_update BEFORE UPDATE OF source, number, position, at, removed, chunker, root, tail, trailing, spans ON revision
BEGIN SELECT RAISE(ABORT, 'append-only: revision'); END;
--> statement-breakpoint
CREATE TRIGGER revision_only_released BEFORE UPDATE OF metadata ON revision
WHEN NOT (EXISTS (SELECT 1 FROM erasure e CROSS JOIN span s ON s.id = e.span WHERE s.source = OLD.source) AND (NEW.metadata IS NULL) = (OLD.metadata IS NULL) AND trim(coalesce(NEW.metadata, ''), ' ') = '')
BEGIN SELECT RAISE(ABORT, 'append-only: revision'); END;
--> statement-breakpoint
CREATE TRIGGER span_no_delete BEFORE DELETE ON span
BEGIN SELECT RAISE(ABORT, 'append-only: span'); END;
--> statement-breakpoint
CREATE TRIGGER span_no_update BEFORE UPDATE OF id, key, kind, collection, source, born, revision, length ON span
BEGIN SELECT RAISE(ABORT, 'append-only: span'); END;
--> statement-breakpoint
CREATE TRIGGER span_only_released BEFORE UPDATE OF hash, metadata, text ON span
WHEN NOT (
  (EXISTS (SELECT 1 FROM erasure WHERE span = OLD.id) OR EXISTS (SELECT 1 FROM pruning WHERE span = OLD.id))
  AND (NEW.text IS NULL) = (OLD.text IS NULL) AND trim(coalesce(NEW.text, ''), ' ') = ''
  AND (NEW.hash IS OLD.hash OR ((NEW.hash IS NULL) = (OLD.hash IS NULL) AND trim(coalesce(NEW.hash, ''), ' ') = ''))
  AND (NEW.metadata IS OLD.metadata OR ((NEW.metadata IS NULL) = (OLD.metadata IS NULL) AND trim(coalesce(NEW.metadata, ''), ' ') = ''))
)
BEGIN SELECT RAISE(ABORT, 'append-only: span'); END;
--> statement-breakpoint
CREATE TRIGGER tombstone_no_delete BEFORE DELETE ON tombstone
BEGIN SELECT RAISE(ABORT, 'append-only: tombstone'); END;
--> statement-breakpoint
CREATE TRIGGER tombstone_no_update BEFORE UPDATE ON tombstone
BEGIN SELECT RAISE(ABORT, 'append-only: tombstone'); END;
--> statement-breakpoint
CREATE TRIGGER lineage_no_delete BEFORE DELETE ON lineage
BEGIN SELECT RAISE(ABORT, 'append-only: lineage'); END;
--> statement-breakpoint
CREATE TRIGGER lineage_no_update BEFORE UPDATE ON lineage
BEGIN SELECT RAISE(ABORT, 'append-only: lineage'); END;
--> statement-breakpoint
CREATE TRIGGER amendment_no_delete BEFORE DELETE ON amendment
BEGIN SELECT RAISE(ABORT, 'append-only: amendment'); END;
--> statement-breakpoint
CREATE TRIGGER amendment_no_update BEFORE UPDATE OF span, position ON amendment
BEGIN SELECT RAISE(ABORT, 'append-only: amendment'); END;
--> statement-breakpoint
CREATE TRIGGER amendment_only_released BEFORE UPDATE OF metadata ON amendment
WHEN NOT (EXISTS (SELECT 1 FROM erasure WHERE span = OLD.span) AND (NEW.metadata IS NULL) = (OLD.metadata IS NULL) AND trim(coalesce(NEW.metadata, ''), ' ') = '')
BEGIN SELECT RAISE(ABORT, 'append-only: amendment'); END;
--> statement-breakpoint
CREATE TRIGGER erasure_no_delete BEFORE DELETE ON erasure
BEGIN SELECT RAISE(ABORT, 'append-only: erasure'); END;
--> statement-breakpoint
CREATE TRIGGER erasure_no_update BEFORE UPDATE ON erasure
BEGIN SELECT RAISE(ABORT, 'append-only: erasure'); END;
--> statement-breakpoint
CREATE TRIGGER pruning_no_delete BEFORE DELETE ON pruning
BEGIN SELECT RAISE(ABORT, 'append-only: pruning'); END;
--> statement-breakpoint
CREATE TRIGGER pruning_no_update BEFORE UPDATE ON pruning
BEGIN SELECT RAISE(ABORT, 'append-only: pruning'); END;
--> statement-breakpoint
CREATE TRIGGER refusal_no_delete BEFORE DELETE ON refusal
BEGIN SELECT RAISE(ABORT, 'append-only: refusal'); END;
--> statement-breakpoint
CREATE TRIGGER refusal_no_update BEFORE UPDATE ON refusal
BEGIN SELECT RAISE(ABORT, 'append-only: refusal'); END;
--> statement-breakpoint
CREATE TRIGGER embedder_no_delete BEFORE DELETE ON embedder
BEGIN SELECT RAISE(ABORT, 'append-only: embedder'); END;
--> statement-breakpoint
CREATE TRIGGER embedder_no_update BEFORE UPDATE ON embedder
BEGIN SELECT RAISE(ABORT, 'append-only: embedder'); END;
--> statement-breakpoint
CREATE TRIGGER supplied_no_delete BEFORE DELETE ON supplied
BEGIN SELECT RAISE(ABORT, 'append-only: supplied'); END;
--> statement-breakpoint
CREATE TRIGGER supplied_no_update BEFORE UPDATE OF span, position ON supplied
BEGIN SELECT RAISE(ABORT, 'append-only: supplied'); END;
--> statement-breakpoint
CREATE TRIGGER supplied_only_released BEFORE UPDATE OF vector ON supplied
WHEN NOT (EXISTS (SELECT 1 FROM erasure WHERE span = OLD.span) AND NEW.vector = zeroblob(length(OLD.vector)))
BEGIN SELECT RAISE(ABORT, 'append-only: supplied'); END;
--> statement-breakpoint
CREATE TRIGGER session_no_delete BEFORE DELETE ON session
BEGIN SELECT RAISE(ABORT, 'append-only: session'); END;
--> statement-breakpoint
CREATE TRIGGER session_no_update BEFORE UPDATE ON session
BEGIN SELECT RAISE(ABORT, 'append-only: session'); END;
--> statement-breakpoint
CREATE TRIGGER epoch_no_delete BEFORE DELETE ON epoch
BEGIN SELECT RAISE(ABORT, 'append-only: epoch'); END;
--> statement-breakpoint
CREATE TRIGGER epoch_no_update BEFORE UPDATE ON epoch
BEGIN SELECT RAISE(ABORT, 'append-only: epoch'); END;
--> statement-breakpoint
CREATE TRIGGER summary_no_delete BEFORE DELETE ON summary
BEGIN SELECT RAISE(ABORT, 'append-only: summary'); END;
--> statement-breakpoint
CREATE TRIGGER summary_no_update BEFORE UPDATE ON summary
BEGIN SELECT RAISE(ABORT, 'append-only: summary'); END;
--> statement-breakpoint
CREATE TRIGGER claim_no_delete BEFORE DELETE ON claim
BEGIN SELECT RAISE(ABORT, 'append-only: claim'); END;
--> statement-breakpoint
CREATE TRIGGER claim_no_update BEFORE UPDATE OF summary, ordinal ON claim
BEGIN SELECT RAISE(ABORT, 'append-only: claim'); END;
--> statement-breakpoint
CREATE TRIGGER claim_only_released BEFORE UPDATE OF text ON claim
WHEN NOT (EXISTS (SELECT 1 FROM erasure WHERE span = OLD.summary) AND (NEW.text IS NULL) = (OLD.text IS NULL) AND trim(coalesce(NEW.text, ''), ' ') = '')
BEGIN SELECT RAISE(ABORT, 'append-only: claim'); END;
--> statement-breakpoint
CREATE TRIGGER dependency_no_delete BEFORE DELETE ON dependency
BEGIN SELECT RAISE(ABORT, 'append-only: dependency'); END;
--> statement-breakpoint
CREATE TRIGGER dependency_no_update BEFORE UPDATE ON dependency
BEGIN SELECT RAISE(ABORT, 'append-only: dependency'); END;
--> statement-breakpoint
CREATE TRIGGER cover_no_delete BEFORE DELETE ON cover
BEGIN SELECT RAISE(ABORT, 'append-only: cover'); END;
--> statement-breakpoint
CREATE TRIGGER cover_no_update BEFORE UPDATE ON cover
BEGIN SELECT RAISE(ABORT, 'append-only: cover'); END;
--> statement-breakpoint
CREATE TRIGGER event_no_delete BEFORE DELETE ON event
WHEN OLD.position > (SELECT floor FROM collection_head WHERE collection = OLD.collection)
BEGIN SELECT RAISE(ABORT, 'append-only: event'); END;
--> statement-breakpoint
CREATE TRIGGER event_no_update BEFORE UPDATE ON event
BEGIN SELECT RAISE(ABORT, 'append-only: event'); END;
--> statement-breakpoint
CREATE TRIGGER command_no_delete BEFORE DELETE ON command
BEGIN SELECT RAISE(ABORT, 'append-only: command'); END;
--> statement-breakpoint
CREATE TRIGGER command_no_update BEFORE UPDATE ON command
BEGIN SELECT RAISE(ABORT, 'append-only: command'); END;
--> statement-breakpoint
CREATE TRIGGER tombstone_reason_of_kind BEFORE INSERT ON tombstone
WHEN (SELECT kind FROM span WHERE id = NEW.span) <> (NEW.reason >= 5)
BEGIN SELECT RAISE(ABORT, 'tombstone: a reason of the other kind'); END;
