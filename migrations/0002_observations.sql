CREATE TABLE `intervention` (
	`id` integer PRIMARY KEY NOT NULL,
	`session` integer NOT NULL,
	`kind` integer NOT NULL,
	`epoch` integer NOT NULL,
	`position` integer NOT NULL,
	`at` integer NOT NULL,
	`reason` text,
	FOREIGN KEY (`session`) REFERENCES `session`(`id`) ON UPDATE no action ON DELETE no action,
	CONSTRAINT "intervention_kind" CHECK("intervention"."kind" BETWEEN 0 AND 3)
) STRICT;
--> statement-breakpoint
CREATE INDEX `intervention_session` ON `intervention` (`session`,`id`);
--> statement-breakpoint
CREATE TABLE `observation` (
	`id` integer PRIMARY KEY NOT NULL,
	`session` integer NOT NULL,
	`cycle` integer NOT NULL,
	`at` integer NOT NULL,
	`kind` integer NOT NULL,
	`status` integer,
	`hit` integer,
	`cited` integer,
	`via` integer,
	`purpose` integer,
	`reported` integer NOT NULL,
	`count` integer NOT NULL,
	`through` integer,
	`keys` text NOT NULL,
	FOREIGN KEY (`session`) REFERENCES `session`(`id`) ON UPDATE no action ON DELETE no action,
	CONSTRAINT "observation_kind" CHECK("observation"."kind" BETWEEN 0 AND 2)
) STRICT;
--> statement-breakpoint
CREATE INDEX `observation_session` ON `observation` (`session`,`cycle`);
--> statement-breakpoint
CREATE TABLE `reading` (
	`id` integer PRIMARY KEY NOT NULL,
	`session` integer NOT NULL,
	`cycle` integer NOT NULL,
	`at` integer NOT NULL,
	`regime` integer NOT NULL,
	`decision` integer NOT NULL,
	`advice` integer NOT NULL,
	`elevated` integer NOT NULL,
	`overhang` integer,
	`self_rate` real,
	`external_rate` real,
	`density` real,
	`inflated` integer,
	`rehydrated_age` real,
	`cited_age` real,
	FOREIGN KEY (`session`) REFERENCES `session`(`id`) ON UPDATE no action ON DELETE no action
) STRICT;
--> statement-breakpoint
CREATE INDEX `reading_session` ON `reading` (`session`,`cycle`);
--> statement-breakpoint
CREATE TABLE `session_age` (
	`session` integer NOT NULL,
	`cycle` integer NOT NULL,
	`born` integer NOT NULL,
	`count` integer NOT NULL,
	PRIMARY KEY(`session`, `cycle`, `born`),
	FOREIGN KEY (`session`) REFERENCES `session`(`id`) ON UPDATE no action ON DELETE no action
) STRICT, WITHOUT ROWID;
--> statement-breakpoint
CREATE TABLE `session_cycle` (
	`session` integer NOT NULL,
	`cycle` integer NOT NULL,
	`self_hits` integer NOT NULL,
	`self_total` integer NOT NULL,
	`external_hits` integer NOT NULL,
	`external_total` integer NOT NULL,
	`anchored_hits` integer NOT NULL,
	`anchored_total` integer NOT NULL,
	`queried_hits` integer NOT NULL,
	`queried_total` integer NOT NULL,
	`reported` integer NOT NULL,
	`lagging` integer NOT NULL,
	`recompacted` integer NOT NULL,
	`inflated` integer NOT NULL,
	PRIMARY KEY(`session`, `cycle`),
	FOREIGN KEY (`session`) REFERENCES `session`(`id`) ON UPDATE no action ON DELETE no action
) STRICT, WITHOUT ROWID;
--> statement-breakpoint
CREATE TABLE `session_knob` (
	`session` integer PRIMARY KEY NOT NULL,
	`retention` integer,
	`recency` integer,
	FOREIGN KEY (`session`) REFERENCES `session`(`id`) ON UPDATE no action ON DELETE no action
) STRICT;
--> statement-breakpoint
CREATE TABLE `snapshot` (
	`id` integer PRIMARY KEY NOT NULL,
	`session` integer NOT NULL,
	`cycle` integer NOT NULL,
	`at` integer NOT NULL,
	`tokens` real NOT NULL,
	`duplicate` real NOT NULL,
	`foreign` integer NOT NULL,
	`uncited` integer NOT NULL,
	`keys` text NOT NULL,
	FOREIGN KEY (`session`) REFERENCES `session`(`id`) ON UPDATE no action ON DELETE no action
) STRICT;
--> statement-breakpoint
CREATE INDEX `snapshot_session` ON `snapshot` (`session`,`id`);
--> statement-breakpoint
ALTER TABLE `claim` ADD `derivable` integer;
--> statement-breakpoint
ALTER TABLE `claim` ADD `unverified` integer;
--> statement-breakpoint
ALTER TABLE `summary` ADD `completeness` real;
--> statement-breakpoint
CREATE TRIGGER observation_no_delete BEFORE DELETE ON observation
BEGIN SELECT RAISE(ABORT, 'append-only: observation'); END;
--> statement-breakpoint
CREATE TRIGGER observation_no_update BEFORE UPDATE ON observation
BEGIN SELECT RAISE(ABORT, 'append-only: observation'); END;
--> statement-breakpoint
CREATE TRIGGER snapshot_no_delete BEFORE DELETE ON snapshot
BEGIN SELECT RAISE(ABORT, 'append-only: snapshot'); END;
--> statement-breakpoint
CREATE TRIGGER snapshot_no_update BEFORE UPDATE ON snapshot
BEGIN SELECT RAISE(ABORT, 'append-only: snapshot'); END;
--> statement-breakpoint
CREATE TRIGGER reading_no_delete BEFORE DELETE ON reading
BEGIN SELECT RAISE(ABORT, 'append-only: reading'); END;
--> statement-breakpoint
CREATE TRIGGER reading_no_update BEFORE UPDATE ON reading
BEGIN SELECT RAISE(ABORT, 'append-only: reading'); END;
--> statement-breakpoint
CREATE TRIGGER intervention_no_delete BEFORE DELETE ON intervention
BEGIN SELECT RAISE(ABORT, 'append-only: intervention'); END;
--> statement-breakpoint
CREATE TRIGGER intervention_no_update BEFORE UPDATE ON intervention
BEGIN SELECT RAISE(ABORT, 'append-only: intervention'); END;
--> statement-breakpoint
CREATE TRIGGER claim_kept BEFORE UPDATE OF derivable, unverified ON claim
BEGIN SELECT RAISE(ABORT, 'append-only: claim'); END;
--> statement-breakpoint
INSERT INTO session_cycle (session, cycle, self_hits, self_total, external_hits, external_total, anchored_hits,
  anchored_total, queried_hits, queried_total, reported, lagging, recompacted, inflated)
SELECT session, epoch, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, count(*), sum(after > before)
FROM (
  SELECT n.session AS session, n.epoch AS epoch,
    (SELECT count(*) FROM dependency d WHERE d.dependent = o.span AND d.printed = 1) AS before,
    (SELECT count(*) FROM dependency d WHERE d.dependent = n.span AND d.printed = 1) AS after
  FROM summary n CROSS JOIN lineage l ON l.new = n.span AND l.kind = 0
  CROSS JOIN summary o ON o.span = l.old AND o.epoch < n.epoch
  WHERE EXISTS (SELECT v.span FROM cover v WHERE v.summary = n.span)
    AND NOT EXISTS (SELECT v.span FROM cover v WHERE v.summary = n.span EXCEPT SELECT v.span FROM cover v WHERE v.summary = o.span)
    AND NOT EXISTS (SELECT v.span FROM cover v WHERE v.summary = o.span EXCEPT SELECT v.span FROM cover v WHERE v.summary = n.span)
)
GROUP BY session, epoch;
