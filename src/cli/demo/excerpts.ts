/*
 * Real data for `spanstore demo`, in small excerpts.
 *
 * - GUIDE: docs/src/ann_indexes.md of github.com/lancedb/lancedb, five revisions. Apache-2.0.
 * - CHAPTER: the end of src/ch17-02-concurrency-with-async.md of github.com/rust-lang/book, two revisions. MIT or Apache-2.0.
 * - MEETING: the meeting TS3010a of QMSum (github.com/Yale-LILY/QMSum): turns, human-written summaries with the turns
 *   they are grounded in, and the summary of the whole. MIT.
 */

export interface DemoRevision {
  readonly commit: string
  readonly date: string
  readonly text: string
}

export const GUIDE: readonly DemoRevision[] = [
  {
    commit: '3eac75e61ae5',
    date: '2023-04-19',
    text: '# ANN (Approximate Nearest Neighbor) Indexes\n\nYou can create an index over your vector data to make search faster. Vector indexes are faster but less accurate than exhaustive search. LanceDB provides many parameters to fine-tune the index\'s size, the speed of queries, and the accuracy of results.\n\nCurrently, LanceDB does not automatically create the ANN index. In the future we will look to improve this experience and automate index creation and configuration.\n\n## Creating an ANN Index\n\nCreating indexes is done via the [create_index](https://lancedb.github.io/lancedb/python/#lancedb.table.LanceTable.create_index) function.\n\n```python\nimport lancedb\nimport numpy as np\nuri = "~/.lancedb"\ndb = lancedb.connect(uri)\n\n# Create 10,000 sample vectors\ndata = [{"vector": row, "item": f"item {i}"}\n   for i, row in enumerate(np.random.random((10_000, 768)).astype(\'float32\'))]\n\n# Add the vectors to a table\ntbl = db.create_table("my_vectors", data=data)\n\n# Create and train the index - you need to have enough data in the table for an effective training step\ntbl.create_index(num_partitions=256, num_sub_vectors=96)\n```\n\nSince `create_index` has a training step, it can take a few minutes to finish for large tables. You can control the index\ncreation by providing the following parameters:\n\n- **num_partitions** (default: 256): The number of partitions of the index. The number of partitions should be configured so each partition has 3-5K vectors. For example, a table \nwith ~1M vectors should use 256 partitions. You can specify arbitrary number of partitions but powers of 2 is most conventional. \nA higher number leads to faster queries, but it makes index generation slower. \n- **num_sub_vectors** (default: 96): The number of subvectors (M) that will be created during Product Quantization (PQ). A larger number makes\nsearch more accurate, but also makes the index larger and slower to build. \n\n## Querying an ANN Index\n\nQuerying vector indexes is done via the [search](https://lancedb.github.io/lancedb/python/#lancedb.table.LanceTable.search) function.\n\nThere are a couple of parameters that can be used to fine-tune the search:\n\n- **limit** (default: 10): The amount of results that will be returned\n- **nprobes** (default: 20): The number of probes used. A higher number makes search more accurate but also slower.\n- **refine_factor** (default: None): Refine the results by reading extra elements and re-ranking them in memory. A higher number makes \nsearch more accurate but also slower.\n\n```python\ntbl.search(np.random.random((768))) \\\n    .limit(2) \\\n    .nprobes(20) \\\n    .refine_factor(20) \\\n    .to_df()\n\n                                              vector       item       score\n0  [0.44949695, 0.8444449, 0.06281311, 0.23338133...  item 1141  103.575333\n1  [0.48587373, 0.269207, 0.15095535, 0.65531915,...  item 3953  108.393867\n```\n\nThe search will return the data requested in addition to the score of each item. The score is the distance between the query vector and the element. A lower number means that the result is more relevant.\n',
  },
  {
    commit: '3e79b4d9cb85',
    date: '2023-04-19',
    text: '# ANN (Approximate Nearest Neighbor) Indexes\n\nYou can create an index over your vector data to make search faster. Vector indexes are faster but less accurate than exhaustive search. LanceDB provides many parameters to fine-tune the index\'s size, the speed of queries, and the accuracy of results.\n\nCurrently, LanceDB does not automatically create the ANN index. In the future we will look to improve this experience and automate index creation and configuration.\n\n## Creating an ANN Index\n\nCreating indexes is done via the [create_index](https://lancedb.github.io/lancedb/python/#lancedb.table.LanceTable.create_index) function.\n\n```python\nimport lancedb\nimport numpy as np\nuri = "~/.lancedb"\ndb = lancedb.connect(uri)\n\n# Create 10,000 sample vectors\ndata = [{"vector": row, "item": f"item {i}"}\n   for i, row in enumerate(np.random.random((10_000, 768)).astype(\'float32\'))]\n\n# Add the vectors to a table\ntbl = db.create_table("my_vectors", data=data)\n\n# Create and train the index - you need to have enough data in the table for an effective training step\ntbl.create_index(num_partitions=256, num_sub_vectors=96)\n```\n\nSince `create_index` has a training step, it can take a few minutes to finish for large tables. You can control the index\ncreation by providing the following parameters:\n\n- **num_partitions** (default: 256): The number of partitions of the index. The number of partitions should be configured so each partition has 3-5K vectors. For example, a table \nwith ~1M vectors should use 256 partitions. You can specify arbitrary number of partitions but powers of 2 is most conventional. \nA higher number leads to faster queries, but it makes index generation slower. \n- **num_sub_vectors** (default: 96): The number of subvectors (M) that will be created during Product Quantization (PQ). A larger number makes\nsearch more accurate, but also makes the index larger and slower to build. \n\n## Querying an ANN Index\n\nQuerying vector indexes is done via the [search](https://lancedb.github.io/lancedb/python/#lancedb.table.LanceTable.search) function.\n\nThere are a couple of parameters that can be used to fine-tune the search:\n\n- **limit** (default: 10): The amount of results that will be returned\n- **nprobes** (default: 20): The number of probes used. A higher number makes search more accurate but also slower.\n- **refine_factor** (default: None): Refine the results by reading extra elements and re-ranking them in memory. A higher number makes \nsearch more accurate but also slower.\n\n```python\ntbl.search(np.random.random((768))) \\\n    .limit(2) \\\n    .nprobes(20) \\\n    .refine_factor(20) \\\n    .to_df()\n\n                                              vector       item       score\n0  [0.44949695, 0.8444449, 0.06281311, 0.23338133...  item 1141  103.575333\n1  [0.48587373, 0.269207, 0.15095535, 0.65531915,...  item 3953  108.393867\n```\n\nThe search will return the data requested in addition to the score of each item. The score is the distance between the query vector and the element. A lower number means that the result is more relevant.\n\n### Filtering (where clause)\n\nYou can further filter the elements returned by a search using a where clause.\n\n```python\ntbl.search(np.random.random((768))).where("item != \'item 1141\'").to_df()\n```\n\n### Projections (select clause)\n\nYou can select the columns returned by the query using a select clause.\n\n```python\ntbl.search(np.random.random((768))).select(["vector"]).to_df()\n                                              vector      score\n0  [0.30928212, 0.022668175, 0.1756372, 0.4911822...  93.971092\n1  [0.2525465, 0.01723831, 0.261568, 0.002007689,...  95.173485\n...\n```\n',
  },
  {
    commit: '4f2dae8a0d9c',
    date: '2023-04-24',
    text: '# ANN (Approximate Nearest Neighbor) Indexes\n\nYou can create an index over your vector data to make search faster.\nVector indexes are faster but less accurate than exhaustive search.\nLanceDB provides many parameters to fine-tune the index\'s size, the speed of queries, and the accuracy of results.\n\nCurrently, LanceDB does *not* automatically create the ANN index.\nLanceDB has optimized code for KNN as well. For many use-cases, datasets under 100K vectors won\'t require index creation at all.\nIf you can live with <100ms latency, skipping index creation is a simpler workflow while guaranteeing 100% recall.\n\nIn the future we will look to automatically create and configure the ANN index.\n\n## Creating an ANN Index\n\nCreating indexes is done via the [create_index](https://lancedb.github.io/lancedb/python/#lancedb.table.LanceTable.create_index) method.\n\n```python\nimport lancedb\nimport numpy as np\nuri = "~/.lancedb"\ndb = lancedb.connect(uri)\n\n# Create 10,000 sample vectors\ndata = [{"vector": row, "item": f"item {i}"}\n   for i, row in enumerate(np.random.random((10_000, 768)).astype(\'float32\'))]\n\n# Add the vectors to a table\ntbl = db.create_table("my_vectors", data=data)\n\n# Create and train the index - you need to have enough data in the table for an effective training step\ntbl.create_index(num_partitions=256, num_sub_vectors=96)\n```\n\nSince `create_index` has a training step, it can take a few minutes to finish for large tables. You can control the index\ncreation by providing the following parameters:\n\n- **num_partitions** (default: 256): The number of partitions of the index. The number of partitions should be configured so each partition has 3-5K vectors. For example, a table\nwith ~1M vectors should use 256 partitions. You can specify arbitrary number of partitions but powers of 2 is most conventional.\nA higher number leads to faster queries, but it makes index generation slower.\n- **num_sub_vectors** (default: 96): The number of subvectors (M) that will be created during Product Quantization (PQ). A larger number makes\nsearch more accurate, but also makes the index larger and slower to build.\n\n## Querying an ANN Index\n\nQuerying vector indexes is done via the [search](https://lancedb.github.io/lancedb/python/#lancedb.table.LanceTable.search) function.\n\nThere are a couple of parameters that can be used to fine-tune the search:\n\n- **limit** (default: 10): The amount of results that will be returned\n- **nprobes** (default: 20): The number of probes used. A higher number makes search more accurate but also slower.<br/>\n  Most of the time, setting nprobes to cover 5-10% of the dataset should achieve high recall with low latency.<br/>\n  e.g., for 1M vectors divided up into 256 partitions, nprobes should be set to ~20-40.<br/>\n  Note: nprobes is only applicable if an ANN index is present. If specified on a table without an ANN index, it is ignored.\n- **refine_factor** (default: None): Refine the results by reading extra elements and re-ranking them in memory.<br/>\n  A higher number makes search more accurate but also slower. If you find the recall is less than idea, try refine_factor=10 to start.<br/>\n  e.g., for 1M vectors divided into 256 partitions, if you\'re looking for top 20, then refine_factor=200 reranks the whole partition.<br/>\n  Note: refine_factor is only applicable if an ANN index is present. If specified on a table without an ANN index, it is ignored.\n\n```python\ntbl.search(np.random.random((768))) \\\n    .limit(2) \\\n    .nprobes(20) \\\n    .refine_factor(10) \\\n    .to_df()\n\n                                              vector       item       score\n0  [0.44949695, 0.8444449, 0.06281311, 0.23338133...  item 1141  103.575333\n1  [0.48587373, 0.269207, 0.15095535, 0.65531915,...  item 3953  108.393867\n```\n\nThe search will return the data requested in addition to the score of each item.\n\n**Note:** The score is the distance between the query vector and the element. A lower number means that the result is more relevant.\n\n### Filtering (where clause)\n\nYou can further filter the elements returned by a search using a where clause.\n\n```python\ntbl.search(np.random.random((768))).where("item != \'item 1141\'").to_df()\n```\n\n### Projections (select clause)\n\nYou can select the columns returned by the query using a select clause.\n\n```python\ntbl.search(np.random.random((768))).select(["vector"]).to_df()\n                                              vector      score\n0  [0.30928212, 0.022668175, 0.1756372, 0.4911822...  93.971092\n1  [0.2525465, 0.01723831, 0.261568, 0.002007689,...  95.173485\n...\n```\n',
  },
  {
    commit: 'b0e578c60905',
    date: '2023-04-24',
    text: '# ANN (Approximate Nearest Neighbor) Indexes\n\nYou can create an index over your vector data to make search faster. Vector indexes are faster but less accurate than exhaustive search. LanceDB provides many parameters to fine-tune the index\'s size, the speed of queries, and the accuracy of results.\n\nCurrently, LanceDB does not automatically create the ANN index. In the future we will look to improve this experience and automate index creation and configuration.\n\n## Creating an ANN Index\n\nCreating indexes is done via the [create_index](https://lancedb.github.io/lancedb/python/#lancedb.table.LanceTable.create_index) function.\n\n```python\nimport lancedb\nimport numpy as np\nuri = "~/.lancedb"\ndb = lancedb.connect(uri)\n\n# Create 10,000 sample vectors\ndata = [{"vector": row, "item": f"item {i}"}\n   for i, row in enumerate(np.random.random((10_000, 768)).astype(\'float32\'))]\n\n# Add the vectors to a table\ntbl = db.create_table("my_vectors", data=data)\n\n# Create and train the index - you need to have enough data in the table for an effective training step\ntbl.create_index(num_partitions=256, num_sub_vectors=96)\n```\n\nSince `create_index` has a training step, it can take a few minutes to finish for large tables. You can control the index\ncreation by providing the following parameters:\n\n- **num_partitions** (default: 256): The number of partitions of the index. The number of partitions should be configured so each partition has 3-5K vectors. For example, a table\nwith ~1M vectors should use 256 partitions. You can specify arbitrary number of partitions but powers of 2 is most conventional.\nA higher number leads to faster queries, but it makes index generation slower.\n- **num_sub_vectors** (default: 96): The number of subvectors (M) that will be created during Product Quantization (PQ). A larger number makes\nsearch more accurate, but also makes the index larger and slower to build.\n\n## Querying an ANN Index\n\nQuerying vector indexes is done via the [search](https://lancedb.github.io/lancedb/python/#lancedb.table.LanceTable.search) function.\n\nThere are a couple of parameters that can be used to fine-tune the search:\n\n- **limit** (default: 10): The amount of results that will be returned\n- **metric** (default: "l2"): The distance metric to use. By default we use euclidean distance. We also support cosine distance.\n- **nprobes** (default: 20): The number of probes used. A higher number makes search more accurate but also slower.\n- **refine_factor** (default: None): Refine the results by reading extra elements and re-ranking them in memory. A higher number makes\nsearch more accurate but also slower.\n\n```python\ntbl.search(np.random.random((768))) \\\n    .limit(2) \\\n    .nprobes(20) \\\n    .refine_factor(20) \\\n    .to_df()\n\n                                              vector       item       score\n0  [0.44949695, 0.8444449, 0.06281311, 0.23338133...  item 1141  103.575333\n1  [0.48587373, 0.269207, 0.15095535, 0.65531915,...  item 3953  108.393867\n```\n\nThe search will return the data requested in addition to the score of each item. The score is the distance between the query vector and the element. A lower number means that the result is more relevant.\n\n### Filtering (where clause)\n\nYou can further filter the elements returned by a search using a where clause.\n\n```python\ntbl.search(np.random.random((768))).where("item != \'item 1141\'").to_df()\n```\n\n### Projections (select clause)\n\nYou can select the columns returned by the query using a select clause.\n\n```python\ntbl.search(np.random.random((768))).select(["vector"]).to_df()\n                                              vector      score\n0  [0.30928212, 0.022668175, 0.1756372, 0.4911822...  93.971092\n1  [0.2525465, 0.01723831, 0.261568, 0.002007689,...  95.173485\n...\n```\n',
  },
  {
    commit: '5554fddd547e',
    date: '2023-04-25',
    text: '# ANN (Approximate Nearest Neighbor) Indexes\n\nYou can create an index over your vector data to make search faster.\nVector indexes are faster but less accurate than exhaustive search.\nLanceDB provides many parameters to fine-tune the index\'s size, the speed of queries, and the accuracy of results.\n\nCurrently, LanceDB does *not* automatically create the ANN index.\nLanceDB has optimized code for KNN as well. For many use-cases, datasets under 100K vectors won\'t require index creation at all.\nIf you can live with <100ms latency, skipping index creation is a simpler workflow while guaranteeing 100% recall.\n\nIn the future we will look to automatically create and configure the ANN index.\n\n## Creating an ANN Index\n\nCreating indexes is done via the [create_index](https://lancedb.github.io/lancedb/python/#lancedb.table.LanceTable.create_index) method.\n\n```python\nimport lancedb\nimport numpy as np\nuri = "~/.lancedb"\ndb = lancedb.connect(uri)\n\n# Create 10,000 sample vectors\ndata = [{"vector": row, "item": f"item {i}"}\n   for i, row in enumerate(np.random.random((10_000, 768)).astype(\'float32\'))]\n\n# Add the vectors to a table\ntbl = db.create_table("my_vectors", data=data)\n\n# Create and train the index - you need to have enough data in the table for an effective training step\ntbl.create_index(num_partitions=256, num_sub_vectors=96)\n```\n\nSince `create_index` has a training step, it can take a few minutes to finish for large tables. You can control the index\ncreation by providing the following parameters:\n\n- **metric** (default: "L2"): The distance metric to use. By default we use euclidean distance. We also support cosine distance.\n- **num_partitions** (default: 256): The number of partitions of the index. The number of partitions should be configured so each partition has 3-5K vectors. For example, a table\nwith ~1M vectors should use 256 partitions. You can specify arbitrary number of partitions but powers of 2 is most conventional.\nA higher number leads to faster queries, but it makes index generation slower.\n- **num_sub_vectors** (default: 96): The number of subvectors (M) that will be created during Product Quantization (PQ). A larger number makes\nsearch more accurate, but also makes the index larger and slower to build.\n\n## Querying an ANN Index\n\nQuerying vector indexes is done via the [search](https://lancedb.github.io/lancedb/python/#lancedb.table.LanceTable.search) function.\n\nThere are a couple of parameters that can be used to fine-tune the search:\n\n- **limit** (default: 10): The amount of results that will be returned\n- **nprobes** (default: 20): The number of probes used. A higher number makes search more accurate but also slower.<br/>\n  Most of the time, setting nprobes to cover 5-10% of the dataset should achieve high recall with low latency.<br/>\n  e.g., for 1M vectors divided up into 256 partitions, nprobes should be set to ~20-40.<br/>\n  Note: nprobes is only applicable if an ANN index is present. If specified on a table without an ANN index, it is ignored.\n- **refine_factor** (default: None): Refine the results by reading extra elements and re-ranking them in memory.<br/>\n  A higher number makes search more accurate but also slower. If you find the recall is less than idea, try refine_factor=10 to start.<br/>\n  e.g., for 1M vectors divided into 256 partitions, if you\'re looking for top 20, then refine_factor=200 reranks the whole partition.<br/>\n  Note: refine_factor is only applicable if an ANN index is present. If specified on a table without an ANN index, it is ignored.\n\n\n```python\ntbl.search(np.random.random((768))) \\\n    .limit(2) \\\n    .nprobes(20) \\\n    .refine_factor(10) \\\n    .to_df()\n\n                                              vector       item       score\n0  [0.44949695, 0.8444449, 0.06281311, 0.23338133...  item 1141  103.575333\n1  [0.48587373, 0.269207, 0.15095535, 0.65531915,...  item 3953  108.393867\n```\n\nThe search will return the data requested in addition to the score of each item.\n\n**Note:** The score is the distance between the query vector and the element. A lower number means that the result is more relevant.\n\n### Filtering (where clause)\n\nYou can further filter the elements returned by a search using a where clause.\n\n```python\ntbl.search(np.random.random((768))).where("item != \'item 1141\'").to_df()\n```\n\n### Projections (select clause)\n\nYou can select the columns returned by the query using a select clause.\n\n```python\ntbl.search(np.random.random((768))).select(["vector"]).to_df()\n                                              vector      score\n0  [0.30928212, 0.022668175, 0.1756372, 0.4911822...  93.971092\n1  [0.2525465, 0.01723831, 0.261568, 0.002007689,...  95.173485\n...\n```\n',
  },
]

export const CHAPTER: readonly DemoRevision[] = [
  {
    commit: '1d7c987288d6',
    date: '2024-06-12',
    text: 'Try some of these different variations on awaiting the futures and see what they\ndo. For an extra challenge, see if you can figure out what the output will be\n*before* running the code!\n\n* Remove the async block from around either or both of the loops.\n* Await each async block immediately after defining it.\n* Wrap only the first loop in an async block, and await the resulting future\n  after the body of second loop.\n\n### Tasks vs. Threads\n\n<!-- TODO: discuss tasks vs. threads more *here*? -->\n\n### Async Move Blocks\n\nIn Chapter 13, we learned how to use the `move` keyword with closures, and in\nChapter 16, we saw that we often need to use closures marked with `move` when\nworking with threads. The `move` keyword also works with async blocks, which\nalso sometimes need to take ownership of the data they reference. Remember, any\ntime you write a future, a runtime is ultimately responsible for executing it.\nThat means that an async block might outlive the function where you write it,\nthe same way a closure can.\n\n<!-- TODO: continue discussion of async move blocks -->\n\nThe `async` keyword does not yet work with closures directly. That is, there is\nno direct equivalent to `async fn` for anonymous functions. As a result, you\ncannot write code like these function calls:\n\n```rust,ignore\nexample_1(async || { ... });\nexample_2(async move || { ... });\n```\n\nHowever, since async blocks themselves can be marked with `move`, this ends up\nnot being a problem. Remember that `async` blocks compile to anonymous futures.\nThat means you can write calls like this instead:\n\n```rust,ignore\nexample_1(|| async { ... });\nexample_2(|| async move { ... });\n```\n\nThese closures now return anonymous futures, meaning they work basically the\nsame way that an async function does.\n\n### Message Passing\n\n<!-- NOTE: mentions blocking again, need to define it somewhere before this. -->\n\nSharing data between futures will look familiar. We can again use async versions\nof Rust’s types for message-passing. Instead of `std::sync:mpsc::channel`, we\nwill use a `tprl::channel`, for example.\n\nThe `Receiver::recv()` method in the `std` channel blocks until it receives a\nmessage. The `trpl::Receiver::recv()` method, by contrast, is an `async`\nfunction. Instead of blocking, it sleeps until a message is received or the send\nside of the channel closes. One other difference with this particular `recv()`\nimplementation is that it returns an `Option` of the type sent over the channel\ninstead of a `Result`.\n\n<!-- TODO: build up to this, rather than dumping the whole code all at once -->\n\n<Listing number="17-TODO" caption="Using an async mpsc channel" file-name="src/main.rs">\n\n```rust\n{{#rustdoc_include ../listings/ch17-async-await/listing-TODO-04/src/main.rs:all}}\n```\n\n</Listing>\n\nIf we run this, though, it never stops! You will need to shut it down using\n<span class="keystroke">ctrl-c</span>. We can see that `tx` sends all the\nmessages,and `rx` receives and prints them, but we never see the “Done!”\nmessage, and the program never stops running. That’s because of the combination\nof the `while let` loop and the `trpl::join` call:\n\n```rust\n{{#rustdoc_include ../listings/ch17-async-await/listing-TODO-04/src/main.rs:loop}}\n```\n\nLet’s consider the way this loop works:\n\n* The `trpl::join` future only completes once *both* futures passed to it\n  have completed.\n* The `tx` future completes after sending the second message.\n* The `rx` future will not complete until the `while let` loop ends, though.\n* The `while let` loop will not end until `rx.recv().await` produces `None`.\n* The `rx.recv().await` will only return `None` once the other end of the\n  channel is closed.\n* The channel will only close if we call `rx.close()` or when the sender side,\n  `tx`, is dropped.\n* We do not call `rx.close()` anywhere, and `tx` will not be dropped until the\n  function exits.\n* The function cannot exit because it is blocked on `trpl::join` completing,\n  which takes us back to the top of the list!\n\nTo solve this, then, we need to make sure the channel gets closed so that\n`trpl::join` will complete. We could manually close `rx` somewhere by calling\n`rx.close()`, but that does not make much sense in this case. The idea is that\n`rx` should keep listening until `tx` is done sending. Stopping after handling\nsome arbitrary number of messages would make the program shut down, but it would\nmean we could miss messages if the sending side changed. Given that we cannot\nuse `rx.close()`, we need to make sure that `tx` gets dropped *before* the end\nof the function.\n\nRight now, the async block only borrows `tx`. We can confirm this by adding\nanother async block which uses `tx`, and using `trpl::join3` to wait for all\nthree futures to complete:\n\n<Listing number="17-TODO" caption="Adding another async block which borrows `tx`, to see that we can borrow it repeatedly" file-name="src/main.rs">\n\n```rust\n{{#rustdoc_include ../listings/ch17-async-await/listing-TODO-04b/src/main.rs:updated}}\n```\n\n</Listing>\n\nNow both blocks borrow `tx`, so they are both able to use it to send messages,\nwhich `rx` can then receive. When we run that code, we see the extra output from\nthe new `async` block, and the message it sends being received by the\n`rx.recv()`:\n\n```text\nGot: hi\nGot: more\nGot: from\nGot: messages\nGot: the\nGot: for\nGot: future\nGot: you\n```\n\nAs before, we also see that the program does not shut down on its own and requires a <span class="keystroke">ctrl-c</span>. Now that we have seen how `async` blocks borrow the items they reference from their outer scope, we can go ahead and remove the extra block we just added, and switch back to using `trpl::join` instead of `trpl::join3`.\n\nWe now know enough to solve the original issue here. We need to move `tx` into\nthe async block. Once that block ends, `tx` will be dropped. We can do that by\nmaking the first async block an `async move` block:\n\n```rust\n{{#rustdoc_include ../listings/ch17-async-await/listing-TODO-05/src/main.rs:move}}\n```\n\nThe result is Listing 17-TODO, and when we run *this* version of the code, it\nshuts down gracefully after the last message is sent.\n\n<Listing number="17-TODO" caption="Fixing the async mpsc channel by using `move` to take ownership of the `Sender` (`tx`)" file-name="src/main.rs">\n\n```rust\n{{#rustdoc_include ../listings/ch17-async-await/listing-TODO-05/src/main.rs:move}}\n```\n\n</Listing>\n\n<!--\n  TODO: maybe explore `tx.clone()`, picking up the thread from the 3-futures\n  version of the example? That would let us see how shared ownership can work,\n  and give a place to emphasize that we still need to make sure *one* of the\n  async blocks\n-->\n\n<!-- TODO: bridge into a discussion of `Pin` by showing `join_all`? -->\n',
  },
  {
    commit: '1db4ee255afb',
    date: '2024-06-12',
    text: 'Try some of these different variations on awaiting the futures and see what they\ndo:\n\n* Remove the async block from around either or both of the loops.\n* Await each async block immediately after defining it.\n* Wrap only the first loop in an async block, and await the resulting future\n  after the body of second loop.\n\nFor an extra challenge, see if you can figure out what the output will be in\neach case *before* running the code!\n\n### Futures, Tasks, and Threads\n\n<!-- TODO: discuss tasks vs. threads more *here*? -->\n\n### Message Passing\n\n<!-- NOTE: mentions blocking again, need to define it somewhere before this. -->\n\nSharing data between futures will look familiar. We can again use async versions\nof Rust’s types for message-passing. Instead of `std::sync:mpsc::channel`, we\nwill use a `tprl::channel`, for example.\n\nThe `Receiver::recv()` method in the `std` channel blocks until it receives a\nmessage. The `trpl::Receiver::recv()` method, by contrast, is an `async`\nfunction. Instead of blocking, it sleeps until a message is received or the send\nside of the channel closes. One other difference with this particular `recv()`\nimplementation is that it returns an `Option` of the type sent over the channel\ninstead of a `Result`.\n\n<!-- TODO: build up to this, rather than dumping the whole code all at once -->\n\n<Listing number="17-TODO" caption="Using an async mpsc channel" file-name="src/main.rs">\n\n```rust\n{{#rustdoc_include ../listings/ch17-async-await/listing-TODO-04/src/main.rs:all}}\n```\n\n</Listing>\n\nIf we run this, though, it never stops! You will need to shut it down using\n<span class="keystroke">ctrl-c</span>. We can see that `tx` sends all the\nmessages,and `rx` receives and prints them, but we never see the “Done!”\nmessage, and the program never stops running. That’s because of the combination\nof the `while let` loop and the `trpl::join` call:\n\n```rust\n{{#rustdoc_include ../listings/ch17-async-await/listing-TODO-04/src/main.rs:loop}}\n```\n\nLet’s consider the way this loop works:\n\n* The `trpl::join` future only completes once *both* futures passed to it\n  have completed.\n* The `tx` future completes after sending the second message.\n* The `rx` future will not complete until the `while let` loop ends, though.\n* The `while let` loop will not end until `rx.recv().await` produces `None`.\n* The `rx.recv().await` will only return `None` once the other end of the\n  channel is closed.\n* The channel will only close if we call `rx.close()` or when the sender side,\n  `tx`, is dropped.\n* We do not call `rx.close()` anywhere, and `tx` will not be dropped until the\n  function exits.\n* The function cannot exit because it is blocked on `trpl::join` completing,\n  which takes us back to the top of the list!\n\nTo solve this, then, we need to make sure the channel gets closed so that\n`trpl::join` will complete. We could manually close `rx` somewhere by calling\n`rx.close()`, but that does not make much sense in this case. The idea is that\n`rx` should keep listening until `tx` is done sending. Stopping after handling\nsome arbitrary number of messages would make the program shut down, but it would\nmean we could miss messages if the sending side changed. Given that we cannot\nuse `rx.close()`, we need to make sure that `tx` gets dropped *before* the end\nof the function.\n\nRight now, the async block only borrows `tx`. We can confirm this by adding\nanother async block which uses `tx`, and using `trpl::join3` to wait for all\nthree futures to complete:\n\n<Listing number="17-TODO" caption="Adding another async block which borrows `tx`, to see that we can borrow it repeatedly" file-name="src/main.rs">\n\n```rust\n{{#rustdoc_include ../listings/ch17-async-await/listing-TODO-04b/src/main.rs:updated}}\n```\n\n</Listing>\n\nNow both blocks borrow `tx`, so they are both able to use it to send messages,\nwhich `rx` can then receive. When we run that code, we see the extra output from\nthe new `async` block, and the message it sends being received by the\n`rx.recv()`:\n\n```text\nGot: hi\nGot: more\nGot: from\nGot: messages\nGot: the\nGot: for\nGot: future\nGot: you\n```\n\nAs before, we also see that the program does not shut down on its own and\nrequires a <span class="keystroke">ctrl-c</span>. Now that we have seen how\n`async` blocks borrow the items they reference from their outer scope, we can go\nahead and remove the extra block we just added, and switch back to using\n`trpl::join` instead of `trpl::join3`.\n\nThis little exploration makes the original issue much clearer: it is ultimately\nabout *ownership*. We need to move `tx` into the async block so that once that\nblock ends, `tx` will be dropped.\n\nIn Chapter 13, we learned how to use the `move` keyword with closures, and in\nChapter 16, we saw that we often need to use closures marked with `move` when\nworking with threads. As we have discovered, the same dynamics apply to async\nblocks—so the `move` keyword also works with async blocks, allowing them to take\nownership of the data they reference.\n\n<!-- TODO: scrap this or find it a home! -->\nRemember, any time you write a future, a runtime is ultimately responsible for\nexecuting it. That means that an async block might outlive the function where\nyou write it, the same way a closure can.\n<!-- TODO: Through here -->\n\nWe can do that by making the first async block an `async move` block.\n\n```rust\n{{#rustdoc_include ../listings/ch17-async-await/listing-TODO-05/src/main.rs:move}}\n```\n\nThe result is Listing 17-TODO, and when we run *this* version of the code, it\nshuts down gracefully after the last message is sent.\n\n<Listing number="17-TODO" caption="Fixing the async mpsc channel by using `move` to take ownership of the `Sender` (`tx`)" file-name="src/main.rs">\n\n```rust\n{{#rustdoc_include ../listings/ch17-async-await/listing-TODO-05/src/main.rs:move}}\n```\n\n</Listing>\n\n<!--\n  TODO: maybe explore `tx.clone()`, picking up the thread from the 3-futures\n  version of the example? That would let us see how shared ownership can work,\n  and give a place to emphasize that we still need to make sure *one* of the\n  async blocks\n-->\n\n<!-- TODO: bridge into a discussion of `Pin` by showing `join_all`? -->\n\n<!-- TODO: find this a home or scrap it -->\nThe `async` keyword does not yet work with closures directly. That is, there is\nno direct equivalent to `async fn` for anonymous functions. As a result, you\ncannot write code like these function calls:\n\n```rust,ignore\nexample_1(async || { ... });\nexample_2(async move || { ... });\n```\n\nHowever, since async blocks themselves can be marked with `move`, this ends up\nnot being a problem. Remember that `async` blocks compile to anonymous futures.\nThat means you can write calls like this instead:\n\n```rust,ignore\nexample_1(|| async { ... });\nexample_2(|| async move { ... });\n```\n\nThese closures now return anonymous futures, meaning they work basically the\nsame way that an async function does.\n<!-- TODO: through here -->\n',
  },
]

export const MEETING: {
  /** Speaker and text. */
  readonly turns: readonly (readonly [string, string])[]
  /** `turns`: the first and the last turn of each range it is grounded in. */
  readonly summaries: readonly {
    readonly text: string
    readonly turns: readonly (readonly [number, number])[]
  }[]
  readonly overview: string
} = {
  turns: [
    [
      'Project Manager',
      'So welcome . The first kick-off meeting . What shall we do ? First the opening , then the rest . What are we going to do . We m have to make a new remote control .',
    ],
    ['Industrial Designer', '{vocalsound}'],
    [
      'Project Manager',
      "It has to be original , trendy and user-friendly . So we will get back th on that . First we have to make a functional design . After that we have to make a conceptual design , and then after that a detailed design . So we'll discuss that later . First we have a look at {gap} . So first to {disfmarker} we have to make a small painting . What have {disfmarker} do we have to do . First you can save the documents . We have to do that every time we make something . You can print it . No . And we have to use {vocalsound} the pen and the eraser . So {disfmarker} Now . We all have to use this one .",
    ],
    ['Industrial Designer', '{vocalsound}'],
    ['Project Manager', 'You have to make your own favourite animal .'],
    ['Marketing', '{vocalsound}'],
    ['Project Manager', "So I'll make an example ."],
    ['Marketing', 'Yep .'],
    ['Project Manager', "First don't touch that things ."],
    ['Industrial Designer', '{vocalsound}'],
    [
      'Project Manager',
      '{vocalsound} You can use the pen . And then you can make {vocalsound} um something .',
    ],
    ['Industrial Designer', '{vocalsound} Nice .'],
    ['Marketing', '{vocalsound} {vocalsound}'],
    ['Project Manager', '{vocalsound} Um you can change some things .'],
    ['Industrial Designer', '{vocalsound}'],
    [
      'Project Manager',
      'Um format , line , and change it . {gap} {disfmarker} {vocalsound} {vocalsound} And you can change the colour .',
    ],
    ['User Interface', '{vocalsound}'],
    ['Marketing', '{vocalsound}'],
    ['Industrial Designer', 'An elephant . {vocalsound}'],
    ['Project Manager', "{vocalsound} So that's it . {vocalsound}"],
    ['User Interface', '{vocalsound}'],
    ['Marketing', '{vocalsound}'],
    ['Project Manager', 'So {disfmarker} So and after it you have to save it .'],
    ['Marketing', '{vocalsound}'],
    ['Project Manager', 'Now we can make a new one .'],
    ['Marketing', 'Okay .'],
    ['Project Manager', "You have to paint now . {vocalsound} So you're next ."],
    ['Marketing', 'Oh . {vocalsound}'],
    ['User Interface', '{vocalsound}'],
    ['Industrial Designer', "'Kay ."],
    ['Marketing', 'Well we will try . Where it going ?'],
    ['Industrial Designer', '{gap} .'],
    ['User Interface', "Hmm . That's uh strange . {vocalsound}"],
    ['Industrial Designer', '{gap} .'],
    ['Project Manager', 'What is going on ?'],
    ['Industrial Designer', '{gap} pop-ups .'],
    ['Project Manager', 'What are you {disfmarker} What ?'],
    ['Marketing', 'Hmm .'],
    ['Project Manager', '{vocalsound}'],
    ['Industrial Designer', '{vocalsound}'],
    ['Marketing', '{vocalsound}'],
    ['Project Manager', '{gap} .'],
    ['Marketing', '{vocalsound}'],
    ['Industrial Designer', 'What is this , Pictionary .'],
    ['Marketing', '{vocalsound}'],
    ['Industrial Designer', '{vocalsound}'],
    ['Marketing', 'Uh {disfmarker}'],
    ['Project Manager', 'Um {disfmarker}'],
    ['Industrial Designer', 'Uh a bird .'],
    ['Project Manager', 'Is a {disfmarker} It is a {disfmarker} It is a {disfmarker}'],
    ['Industrial Designer', 'Bird .'],
    ['Project Manager', 'A duck .'],
    ['Marketing', '{vocalsound}'],
    ['Industrial Designer', '{vocalsound}'],
    ['Marketing', 'Mm .'],
    ['Project Manager', '{vocalsound}'],
    ['Marketing', 'So {disfmarker} Now save ?'],
    ['Project Manager', 'Yes .'],
    ['Industrial Designer', 'Yeah .'],
    ['Project Manager', 'Hmm .'],
    ['Marketing', 'Now uh blank ?'],
    ['Project Manager', 'Blank , yes .'],
    ['User Interface', 'Yeah .'],
    ['Marketing', 'Yeah .'],
    ['Project Manager', 'Okay next one . {vocalsound}'],
    ['Marketing', '{vocalsound}'],
    ['User Interface', "Okay . Let's try this . Uh {disfmarker}"],
    ['Industrial Designer', '{vocalsound} Whoo .'],
    ['Marketing', 'Yeah , yeah .'],
    ['User Interface', '{vocalsound} Um . Mm-hmm . Mm .'],
    ['Project Manager', '{vocalsound} Oh . {vocalsound}'],
    ['Industrial Designer', 'Oh not . Oh . {vocalsound}'],
    ['User Interface', '{vocalsound}'],
    ['Marketing', '{vocalsound}'],
    ['Industrial Designer', 'Okay . Okay . Yeah . No problem .'],
    ['Marketing', '{vocalsound}'],
    ['Industrial Designer', 'Shit happens . {vocalsound}'],
    ['Marketing', "{vocalsound} {vocalsound} I'm not getting anything uh on my screen now . Okay ."],
    ['Industrial Designer', 'A parrot . Ish .'],
    ['Marketing', 'Wow . Oh .'],
    ['Project Manager', '{vocalsound}'],
    ['Marketing', '{vocalsound}'],
    ['Industrial Designer', 'He did it before .'],
    ['Marketing', '{vocalsound}'],
    ['User Interface', '{vocalsound}'],
    ['Industrial Designer', '{vocalsound}'],
    ['Marketing', '{vocalsound}'],
    ['Industrial Designer', '{vocalsound}'],
    ['Project Manager', '{vocalsound}'],
    ['User Interface', 'Uh {disfmarker}'],
    ['Project Manager', '{vocalsound} {vocalsound}'],
    ['Industrial Designer', '{vocalsound}'],
    ['User Interface', 'No , no . Yeah . Okay .'],
    ['Marketing', '{vocalsound} Nice .'],
    ['Project Manager', 'Very good .'],
    ['Industrial Designer', 'Oh .'],
    ['User Interface', 'Uh blank .'],
    ['Industrial Designer', 'Thank you .'],
    ['Project Manager', '{vocalsound} {vocalsound}'],
    ['User Interface', '{vocalsound}'],
    ['Marketing', '{vocalsound}'],
    ['Project Manager', 'Okay . Very good . So um you can always go back . {gap} So {disfmarker}'],
    ['Marketing', '{vocalsound}'],
    [
      'Project Manager',
      "{vocalsound} That's it . So that was two . Now next . The budget . The b Uh we will sell the t at twenty five Euros . And we have only twenty of twelve and a half Euro to make it . So {vocalsound} now we have to think about what we will make . First I wanna hear from you . Uh what are your experiences with remote controls . So {disfmarker}",
    ],
    ['Industrial Designer', 'Uh I will start .'],
    ['Project Manager', 'F first {gap} .'],
    ['Industrial Designer', 'Uh {disfmarker} {gap}'],
    ['Marketing', '{vocalsound}'],
    [
      'Industrial Designer',
      "Big one , they are uh not easy to use . Um I have one set and uh a remote control , when I dropped it , uh it broke . So that won't be uh our goal , I think .",
    ],
    ['User Interface', 'No .'],
    [
      'Industrial Designer',
      "And uh g big buttons , {vocalsound} m uh that's easier to use than uh {disfmarker} I think . Not all the small buttons , you don't know {disfmarker}",
    ],
    ['Project Manager', 'Is this positive or negative , that uh big buttons ?'],
    ['Industrial Designer', 'Big buttons , positive .'],
    ['Project Manager', 'Positive .'],
    [
      'Industrial Designer',
      "All all small buttons like when you have uh like a hundred buttons on your remote control , you won't know what they're working for .",
    ],
    ['Project Manager', 'Okay . What are your experiences ?'],
    [
      'User Interface',
      "Uh well I think the the the goal of a remote control is that it's it it has an influence on the T_V_ set .",
    ],
    ['Project Manager', 'Mm .'],
    [
      'User Interface',
      "And that it controls the channels and the the volume . And uh I I I think it's positive if there's a a LED uh uh a LED on the corner of the of the remote . So that you know it s it still has batteries on it {disfmarker} in it . And that if you push the button the LED uh gives a light , and uh and you see that it's working . And uh yeah . Uh {disfmarker}",
    ],
    ['Project Manager', 'So and do they always have that ?'],
    [
      'User Interface',
      "Yeah , but {disfmarker} No no no . But I {disfmarker} my my experience is that it it it's convenient to have that .",
    ],
    ['Project Manager', "It's easy to you ."],
    ['User Interface', 'Yeah . Yeah .'],
    ['Project Manager', "Okay . 'Kay ."],
    [
      'Marketing',
      'Uh at home we have a T_V_ , a video uh recorder , a D_V_D_ player , and a satellite receiver . We have uh four distinctive remote controls for that .',
    ],
    ['Industrial Designer', '{vocalsound} Thank you .'],
    ['Marketing', "That's not really ea easy ."],
    ['Industrial Designer', 'Help also . {vocalsound} Thank you .'],
    [
      'Marketing',
      "So it would be nice if we have one for all . And we also had a remote control for our radio set . But um i it it had a lot of buttons on it , and you didn't know which one was what . And it was uh uh v {vocalsound} not easy to use . So we n barely used it .",
    ],
    ['Project Manager', 'Okay so they have too much . So next .'],
    ['User Interface', 'Hmm .'],
    [
      'Project Manager',
      'For our own remote control we have to think how do we make it . So what ideas do you have for it , for the new remote control ? What what does it have to have ? {vocalsound}',
    ],
    ['Industrial Designer', 'The weight . Not not too heavy .'],
    ['Project Manager', 'Not too heavy . Yes .'],
    ['Industrial Designer', 'Not much buttons .'],
    ['Project Manager', 'Yeah .'],
    [
      'Industrial Designer',
      "Bust-free . That when you drop it , it won't break . Like uh some kind of rubber on it . Or hard uh hard plastic . Uh buttons not too small . Uh something like when you uh lose your uh remote control , sometimes it happen . Uh it between the couch and you can't find it .",
    ],
    ['Project Manager', 'Yes .'],
    [
      'Industrial Designer',
      'When you push a but a button on the T_V_ , then you hear some {gap} {disfmarker} uh some sort of bleep .',
    ],
    ['User Interface', '{vocalsound}'],
    ['Project Manager', 'Like a phone .'],
    ['Industrial Designer', "And then you uh , hey there there's remote control ."],
    ['Project Manager', 'Okay .'],
    ['Marketing', 'Yeah .'],
    ['Industrial Designer', '{vocalsound}'],
    ['User Interface', '{vocalsound} Yeah .'],
    ['Industrial Designer', '{vocalsound}'],
    ['Project Manager', 'So ,'],
    ['Industrial Designer', 'Next .'],
    ['Project Manager', "that's {gap} ."],
    [
      'User Interface',
      "Yeah well that's {disfmarker} that are good ideas . Uh {disfmarker} Yeah well the LED on the corner , that that indicates that it's working . If you push a button . Um {disfmarker} Yeah . And looking on the budget , not too expensive uh material . So probably plastic or something . Uh {disfmarker}",
    ],
    ['Project Manager', 'Okay .'],
    ['Industrial Designer', '{vocalsound}'],
    [
      'Marketing',
      "Yeah I think it uh {disfmarker} from a marketing point of view , it also has to look nice . Or you won't sell it .",
    ],
    ['Project Manager', 'Yes .'],
    [
      'Marketing',
      'And um yeah uh on our website we can see what products we already have . And it should work with as many uh as possible of them .',
    ],
    ['Project Manager', 'Okay . This is {disfmarker} It has to be compatible with other things .'],
    ['Marketing', 'Yes .'],
    ['Project Manager', 'Okay .'],
    ['Industrial Designer', 'I have one more idea . Just popped up .'],
    ['Project Manager', 'Yes ?'],
    [
      'Industrial Designer',
      "Uh it it won't take a lot of batteries . So you don't {disfmarker} won't have to change the batteries uh once a week or uh once every two weeks .",
    ],
    ['Project Manager', 'No battery use . So more ideas ?'],
    ['User Interface', 'Mm no .'],
    [
      'Project Manager',
      "No okay . It's only the first ideas . So {vocalsound} uh what are we going to do now is {disfmarker} Next meeting is in half an h hour . Uh {disfmarker} {vocalsound} Okay . Next meeting , half an hour . Um , what you have to do . Well look on your {gap} . And {disfmarker} Next instructions you'll get in your email . So {disfmarker} This is the first meeting . See you later in half an hour .",
    ],
    ['User Interface', 'Yes .'],
    ['Industrial Designer', 'Okay . Thank you .'],
    ['Marketing', 'Okay .'],
  ],
  summaries: [
    {
      text: 'Industrial Designer suggested that big size devices are hard to use and easily broken while a big button is more useful compared to a hundred small buttons. User Inter face believed that a LED on the remote control device helps the users know the battery usage and the device is working well. Marketing thought it would be convenient if one remote control could control all the devices. All these are accepted by the whole team.',
      turns: [[103, 131]],
    },
    {
      text: 'Project Manager believed that it could not be heavy. Industrial Designer indicated that fewer and bigger buttons are better and should be bust-free, for instance, rubber could be used on it. Industrial Designer also suggested that when users push a button, they could hear some sort of bleep. User Interface suggested a LED on the corner and not too expensive material like plastic could be used. Marketing added that it should look nice for better sales and should work with as many as possible of existing products listed on their website. Industrial Designer also concluded that it should be battery-saving.',
      turns: [[132, 163]],
    },
  ],
  overview:
    'Project Manager introduced the overall plan for designing the product that has to be original, trendy and user-friendly to the team and asked each team member to draw a painting with a technical device. The team shared their experiences with remote control devices and gave ideas about the new remote control product features. They decided that the new device should be good-looking, easy to use and cost saving.',
}
