CREATE TABLE `gating` (
	`id` integer PRIMARY KEY NOT NULL,
	`session` integer NOT NULL,
	`at` integer NOT NULL,
	`position` integer NOT NULL,
	`cursor` text NOT NULL,
	`action` text,
	`verdict` integer NOT NULL,
	FOREIGN KEY (`session`) REFERENCES `session`(`id`) ON UPDATE no action ON DELETE no action,
	CONSTRAINT "gating_verdict" CHECK("gating"."verdict" IN (0, 1))
) STRICT;
--> statement-breakpoint
CREATE INDEX `gating_cursor` ON `gating` (`session`,`cursor`);
--> statement-breakpoint
CREATE TABLE `standing` (
	`gating` integer NOT NULL,
	`ordinal` integer NOT NULL,
	`span` integer NOT NULL,
	`position` integer NOT NULL,
	PRIMARY KEY(`gating`, `ordinal`, `span`),
	FOREIGN KEY (`gating`) REFERENCES `gating`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`span`) REFERENCES `span`(`id`) ON UPDATE no action ON DELETE no action
) STRICT, WITHOUT ROWID;
--> statement-breakpoint
CREATE TABLE `verification` (
	`gating` integer NOT NULL,
	`ordinal` integer NOT NULL,
	`session` integer NOT NULL,
	`code` text NOT NULL,
	`summary` integer,
	`verdict` integer NOT NULL,
	`refusal` text,
	PRIMARY KEY(`gating`, `ordinal`),
	FOREIGN KEY (`gating`) REFERENCES `gating`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`session`) REFERENCES `session`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`summary`) REFERENCES `summary`(`span`) ON UPDATE no action ON DELETE no action,
	CONSTRAINT "verification_verdict" CHECK("verification"."verdict" BETWEEN 0 AND 2 AND ("verification"."verdict" = 0) = ("verification"."refusal" IS NOT NULL))
) STRICT, WITHOUT ROWID;
--> statement-breakpoint
CREATE INDEX `verification_claim` ON `verification` (`session`,`code`,`gating`);
--> statement-breakpoint
CREATE INDEX `verification_summary` ON `verification` (`summary`) WHERE "verification"."summary" IS NOT NULL;
--> statement-breakpoint
CREATE INDEX `event_touched` ON `event` (`collection`,`node`,`position`) WHERE "event"."type" IN (1, 2, 17);
--> statement-breakpoint
CREATE TRIGGER gating_no_delete BEFORE DELETE ON gating
BEGIN SELECT RAISE(ABORT, 'append-only: gating'); END;
--> statement-breakpoint
CREATE TRIGGER gating_no_update BEFORE UPDATE ON gating
BEGIN SELECT RAISE(ABORT, 'append-only: gating'); END;
--> statement-breakpoint
CREATE TRIGGER verification_no_delete BEFORE DELETE ON verification
BEGIN SELECT RAISE(ABORT, 'append-only: verification'); END;
--> statement-breakpoint
CREATE TRIGGER verification_no_update BEFORE UPDATE ON verification
BEGIN SELECT RAISE(ABORT, 'append-only: verification'); END;
--> statement-breakpoint
CREATE TRIGGER standing_no_delete BEFORE DELETE ON standing
BEGIN SELECT RAISE(ABORT, 'append-only: standing'); END;
--> statement-breakpoint
CREATE TRIGGER standing_no_update BEFORE UPDATE ON standing
BEGIN SELECT RAISE(ABORT, 'append-only: standing'); END;
