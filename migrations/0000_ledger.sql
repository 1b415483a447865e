CREATE TABLE `amendment` (
	`span` integer NOT NULL,
	`position` integer NOT NULL,
	`metadata` text NOT NULL,
	PRIMARY KEY(`span`, `position`),
	FOREIGN KEY (`span`) REFERENCES `span`(`id`) ON UPDATE no action ON DELETE no action
) STRICT, WITHOUT ROWID;
--> statement-breakpoint
CREATE TABLE `cause` (
	`dependent` integer NOT NULL,
	`support` integer NOT NULL,
	`hard` integer NOT NULL,
	PRIMARY KEY(`dependent`, `support`)
) STRICT, WITHOUT ROWID;
--> statement-breakpoint
CREATE TABLE `claim` (
	`summary` integer NOT NULL,
	`ordinal` integer NOT NULL,
	`text` text NOT NULL,
	PRIMARY KEY(`summary`, `ordinal`),
	FOREIGN KEY (`summary`) REFERENCES `summary`(`span`) ON UPDATE no action ON DELETE no action
) STRICT, WITHOUT ROWID;
--> statement-breakpoint
CREATE TABLE `collection` (
	`id` integer PRIMARY KEY NOT NULL,
	`key` text NOT NULL,
	`metric` text NOT NULL,
	`at` integer NOT NULL,
	CONSTRAINT "collection_metric" CHECK("collection"."metric" IN ('cosine', 'l2', 'ip'))
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX `collection_key_unique` ON `collection` (`key`);--> statement-breakpoint
CREATE TABLE `collection_head` (
	`collection` integer PRIMARY KEY NOT NULL,
	`name` text,
	`position` integer NOT NULL,
	`floor` integer NOT NULL,
	`live` integer NOT NULL,
	`embedder` integer,
	`dropped` integer,
	`dropped_at` integer,
	FOREIGN KEY (`collection`) REFERENCES `collection`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`embedder`) REFERENCES `embedder`(`id`) ON UPDATE no action ON DELETE no action,
	CONSTRAINT "collection_head_dropped" CHECK(("collection_head"."dropped" IS NULL) = ("collection_head"."dropped_at" IS NULL))
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX `collection_head_name` ON `collection_head` (`name`) WHERE "collection_head"."dropped" IS NULL;--> statement-breakpoint
CREATE TABLE `collection_name` (
	`name` text NOT NULL,
	`collection` integer NOT NULL,
	PRIMARY KEY(`name`, `collection`),
	FOREIGN KEY (`collection`) REFERENCES `collection`(`id`) ON UPDATE no action ON DELETE no action
) STRICT, WITHOUT ROWID;
--> statement-breakpoint
CREATE TABLE `command` (
	`id` text PRIMARY KEY NOT NULL,
	`at` integer NOT NULL,
	`result` text NOT NULL
) STRICT;
--> statement-breakpoint
CREATE TABLE `consumer` (
	`id` integer PRIMARY KEY NOT NULL,
	`name` text NOT NULL,
	`filter` text NOT NULL,
	`start` text NOT NULL,
	`created` integer NOT NULL,
	`holder` text,
	`fence` integer NOT NULL,
	`until` integer NOT NULL
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX `consumer_name_unique` ON `consumer` (`name`);--> statement-breakpoint
CREATE TABLE `consumer_cursor` (
	`consumer` integer NOT NULL,
	`collection` integer NOT NULL,
	`position` integer NOT NULL,
	`attempts` integer NOT NULL,
	`due` integer NOT NULL,
	`error` text,
	PRIMARY KEY(`consumer`, `collection`),
	FOREIGN KEY (`consumer`) REFERENCES `consumer`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`collection`) REFERENCES `collection`(`id`) ON UPDATE no action ON DELETE no action
) STRICT, WITHOUT ROWID;
--> statement-breakpoint
CREATE TABLE `cover` (
	`span` integer NOT NULL,
	`summary` integer NOT NULL,
	PRIMARY KEY(`span`, `summary`),
	FOREIGN KEY (`span`) REFERENCES `span`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`summary`) REFERENCES `summary`(`span`) ON UPDATE no action ON DELETE no action
) STRICT, WITHOUT ROWID;
--> statement-breakpoint
CREATE INDEX `cover_summary` ON `cover` (`summary`);--> statement-breakpoint
CREATE TABLE `dead_letter` (
	`consumer` integer NOT NULL,
	`collection` integer NOT NULL,
	`position` integer NOT NULL,
	`attempts` integer NOT NULL,
	`error` text,
	`at` integer NOT NULL,
	`replay` integer NOT NULL,
	PRIMARY KEY(`consumer`, `collection`, `position`),
	FOREIGN KEY (`consumer`) REFERENCES `consumer`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`collection`) REFERENCES `collection`(`id`) ON UPDATE no action ON DELETE no action
) STRICT, WITHOUT ROWID;
--> statement-breakpoint
CREATE TABLE `dependency` (
	`support` integer NOT NULL,
	`dependent` integer NOT NULL,
	`printed` integer NOT NULL,
	`foreign` integer,
	PRIMARY KEY(`support`, `dependent`),
	FOREIGN KEY (`support`) REFERENCES `span`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`dependent`) REFERENCES `summary`(`span`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`foreign`) REFERENCES `collection`(`id`) ON UPDATE no action ON DELETE no action,
	CONSTRAINT "dependency_forward" CHECK("dependency"."support" < "dependency"."dependent")
) STRICT, WITHOUT ROWID;
--> statement-breakpoint
CREATE INDEX `dependency_dependent` ON `dependency` (`dependent`);--> statement-breakpoint
CREATE INDEX `dependency_foreign` ON `dependency` (`foreign`) WHERE "dependency"."foreign" IS NOT NULL;--> statement-breakpoint
CREATE TABLE `embedder` (
	`id` integer PRIMARY KEY NOT NULL,
	`collection` integer NOT NULL,
	`name` text NOT NULL,
	`dimensions` integer NOT NULL,
	FOREIGN KEY (`collection`) REFERENCES `collection`(`id`) ON UPDATE no action ON DELETE no action,
	CONSTRAINT "embedder_dimensions" CHECK("embedder"."dimensions" > 0)
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX `embedder_name` ON `embedder` (`collection`,`name`);--> statement-breakpoint
CREATE TABLE `embedding` (
	`hash` text NOT NULL,
	`name` text NOT NULL,
	`vector` blob NOT NULL,
	PRIMARY KEY(`hash`, `name`)
) STRICT;
--> statement-breakpoint
CREATE TABLE `epoch` (
	`session` integer NOT NULL,
	`number` integer NOT NULL,
	`position` integer NOT NULL,
	`at` integer NOT NULL,
	PRIMARY KEY(`session`, `number`),
	FOREIGN KEY (`session`) REFERENCES `session`(`id`) ON UPDATE no action ON DELETE no action
) STRICT, WITHOUT ROWID;
--> statement-breakpoint
CREATE TABLE `erasure` (
	`span` integer PRIMARY KEY NOT NULL,
	`at` integer NOT NULL,
	FOREIGN KEY (`span`) REFERENCES `tombstone`(`span`) ON UPDATE no action ON DELETE no action
) STRICT;
--> statement-breakpoint
CREATE TABLE `event` (
	`collection` integer NOT NULL,
	`position` integer NOT NULL,
	`type` integer NOT NULL,
	`at` integer NOT NULL,
	`node` integer,
	`source` integer,
	`other` integer,
	`number` integer,
	`data` text,
	PRIMARY KEY(`collection`, `position`),
	FOREIGN KEY (`collection`) REFERENCES `collection`(`id`) ON UPDATE no action ON DELETE no action
) STRICT, WITHOUT ROWID;
--> statement-breakpoint
CREATE TABLE `gap` (
	`id` integer PRIMARY KEY NOT NULL,
	`source` integer,
	`text` text NOT NULL,
	FOREIGN KEY (`source`) REFERENCES `source`(`id`) ON UPDATE no action ON DELETE no action
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX `gap_shared` ON `gap` (`text`) WHERE "gap"."source" IS NULL;--> statement-breakpoint
CREATE INDEX `gap_source` ON `gap` (`source`) WHERE "gap"."source" IS NOT NULL;--> statement-breakpoint
CREATE TABLE `identical` (
	`span` integer PRIMARY KEY NOT NULL,
	`target` integer NOT NULL,
	FOREIGN KEY (`span`) REFERENCES `tombstone`(`span`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`target`) REFERENCES `span`(`id`) ON UPDATE no action ON DELETE no action
) STRICT;
--> statement-breakpoint
CREATE INDEX `identical_target` ON `identical` (`target`);--> statement-breakpoint
CREATE TABLE `lineage` (
	`old` integer NOT NULL,
	`new` integer NOT NULL,
	`kind` integer NOT NULL,
	`ordinal` integer NOT NULL,
	PRIMARY KEY(`old`, `new`),
	FOREIGN KEY (`old`) REFERENCES `tombstone`(`span`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`new`) REFERENCES `span`(`id`) ON UPDATE no action ON DELETE no action,
	CONSTRAINT "lineage_forward" CHECK("lineage"."kind" IN (0, 1) AND "lineage"."old" <> "lineage"."new")
) STRICT, WITHOUT ROWID;
--> statement-breakpoint
CREATE INDEX `lineage_new` ON `lineage` (`new`);--> statement-breakpoint
CREATE TABLE `page` (
	`id` integer PRIMARY KEY NOT NULL,
	`body` blob NOT NULL
) STRICT;
--> statement-breakpoint
CREATE TABLE `pruning` (
	`span` integer PRIMARY KEY NOT NULL,
	`at` integer NOT NULL,
	FOREIGN KEY (`span`) REFERENCES `tombstone`(`span`) ON UPDATE no action ON DELETE no action
) STRICT;
--> statement-breakpoint
CREATE TABLE `refusal` (
	`source` integer NOT NULL,
	`code` text NOT NULL,
	PRIMARY KEY(`source`, `code`),
	FOREIGN KEY (`source`) REFERENCES `source`(`id`) ON UPDATE no action ON DELETE no action
) STRICT, WITHOUT ROWID;
--> statement-breakpoint
CREATE TABLE `revision` (
	`source` integer NOT NULL,
	`number` integer NOT NULL,
	`position` integer NOT NULL,
	`at` integer NOT NULL,
	`removed` integer NOT NULL,
	`chunker` text,
	`metadata` text,
	`root` integer,
	`tail` blob NOT NULL,
	`trailing` integer,
	`spans` integer NOT NULL,
	PRIMARY KEY(`source`, `number`),
	FOREIGN KEY (`source`) REFERENCES `source`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`root`) REFERENCES `page`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`trailing`) REFERENCES `gap`(`id`) ON UPDATE no action ON DELETE no action,
	CONSTRAINT "revision_number" CHECK("revision"."number" >= 1),
	CONSTRAINT "revision_removed" CHECK("revision"."removed" IN (0, 1) AND ("revision"."removed" = 0 OR "revision"."spans" = 0))
) STRICT, WITHOUT ROWID;
--> statement-breakpoint
CREATE TABLE `session` (
	`id` integer PRIMARY KEY NOT NULL,
	`collection` integer NOT NULL,
	`name` text NOT NULL,
	FOREIGN KEY (`collection`) REFERENCES `collection`(`id`) ON UPDATE no action ON DELETE no action
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX `session_name` ON `session` (`collection`,`name`);--> statement-breakpoint
CREATE TABLE `source` (
	`id` integer PRIMARY KEY NOT NULL,
	`collection` integer NOT NULL,
	`name` text NOT NULL,
	FOREIGN KEY (`collection`) REFERENCES `collection`(`id`) ON UPDATE no action ON DELETE no action
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX `source_name` ON `source` (`collection`,`name`);--> statement-breakpoint
CREATE TABLE `source_head` (
	`source` integer PRIMARY KEY NOT NULL,
	`version` integer NOT NULL,
	`revision` integer NOT NULL,
	`live` integer NOT NULL,
	`described` integer NOT NULL,
	`fingerprint` text,
	`expires` integer,
	FOREIGN KEY (`source`) REFERENCES `source`(`id`) ON UPDATE no action ON DELETE no action
) STRICT;
--> statement-breakpoint
CREATE INDEX `source_head_expires` ON `source_head` (`expires`) WHERE "source_head"."expires" IS NOT NULL;--> statement-breakpoint
CREATE TABLE `span` (
	`id` integer PRIMARY KEY NOT NULL,
	`key` text NOT NULL,
	`kind` integer NOT NULL,
	`collection` integer NOT NULL,
	`source` integer,
	`born` integer NOT NULL,
	`revision` integer,
	`length` integer NOT NULL,
	`hash` text,
	`metadata` text,
	`text` text,
	FOREIGN KEY (`collection`) REFERENCES `collection`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`source`) REFERENCES `source`(`id`) ON UPDATE no action ON DELETE no action,
	CONSTRAINT "span_key" CHECK(length("span"."key") = 26),
	CONSTRAINT "span_kind" CHECK("span"."kind" IN (0, 1) AND ("span"."kind" = 0) = ("span"."source" IS NOT NULL) AND ("span"."kind" = 0) = ("span"."revision" IS NOT NULL)),
	CONSTRAINT "span_text" CHECK(("span"."text" IS NULL) = ("span"."hash" IS NULL) AND ("span"."text" IS NOT NULL OR "span"."length" = 0))
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX `span_key_unique` ON `span` (`key`);--> statement-breakpoint
CREATE INDEX `span_collection` ON `span` (`collection`);--> statement-breakpoint
CREATE INDEX `span_bytes` ON `span` (`source`,`hash`) WHERE "span"."length" >= 32 AND "span"."kind" = 0;--> statement-breakpoint
CREATE TABLE `store` (
	`id` integer PRIMARY KEY NOT NULL,
	`key` text NOT NULL,
	`secret` text NOT NULL,
	`at` integer NOT NULL,
	CONSTRAINT "store_one" CHECK("store"."id" = 1)
) STRICT;
--> statement-breakpoint
CREATE TABLE `summary` (
	`span` integer PRIMARY KEY NOT NULL,
	`session` integer NOT NULL,
	`epoch` integer NOT NULL,
	`chain` integer NOT NULL,
	`class` integer NOT NULL,
	FOREIGN KEY (`span`) REFERENCES `span`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`session`) REFERENCES `session`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`chain`) REFERENCES `summary`(`span`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`class`) REFERENCES `summary`(`span`) ON UPDATE no action ON DELETE no action
) STRICT;
--> statement-breakpoint
CREATE INDEX `summary_session` ON `summary` (`session`,`epoch`);--> statement-breakpoint
CREATE INDEX `summary_chain` ON `summary` (`chain`);--> statement-breakpoint
CREATE INDEX `summary_class` ON `summary` (`class`);--> statement-breakpoint
CREATE TABLE `supplied` (
	`span` integer NOT NULL,
	`position` integer NOT NULL,
	`vector` blob NOT NULL,
	PRIMARY KEY(`span`, `position`),
	FOREIGN KEY (`span`) REFERENCES `span`(`id`) ON UPDATE no action ON DELETE no action
) STRICT;
--> statement-breakpoint
CREATE TABLE `tombstone` (
	`span` integer PRIMARY KEY NOT NULL,
	`reason` integer NOT NULL,
	`position` integer NOT NULL,
	`at` integer NOT NULL,
	FOREIGN KEY (`span`) REFERENCES `span`(`id`) ON UPDATE no action ON DELETE no action,
	CONSTRAINT "tombstone_reason" CHECK("tombstone"."reason" BETWEEN 0 AND 6)
) STRICT;
--> statement-breakpoint
CREATE TABLE `watched` (
	`source` integer NOT NULL,
	`hash` text NOT NULL,
	`span` integer NOT NULL,
	PRIMARY KEY(`source`, `hash`, `span`),
	FOREIGN KEY (`source`) REFERENCES `source`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`span`) REFERENCES `span`(`id`) ON UPDATE no action ON DELETE no action
) STRICT, WITHOUT ROWID;
