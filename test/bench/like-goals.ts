/**
 * Goals beside those of `bench:wild`, by their ids, written down before plans were reused by anything: `same` asks for the same in other words,
 * `other` looks alike and asks for something else, so that the remembered plan would be wrong.
 */
export const likeGoals: Readonly<
  Record<string, { readonly same: readonly string[]; readonly other: readonly string[] }>
> = {
  "filesystem-01": {
    same: [
      "Could you show me what is in /home/anna/notes/todo.md?",
      "Display the contents of /home/anna/notes/todo.md",
      "What are the contents of /home/anna/notes/todo.md?",
    ],
    other: [
      "Clear the contents of /home/anna/notes/todo.md",
      "Show me the contents of /home/anna/notes",
      "Show me the size of /home/anna/notes/todo.md",
    ],
  },
  "filesystem-02": {
    same: [
      "Show me the last 50 lines of /var/log/nginx/error.log",
      "Get the last 50 lines of /var/log/nginx/error.log, please",
    ],
    other: [
      "What are the first 50 lines of /var/log/nginx/error.log?",
      "Delete the last 50 lines of /var/log/nginx/error.log",
      "What are the last 50 lines of /var/log/nginx/error.log and of /var/log/nginx/access.log?",
    ],
  },
  "filesystem-03": {
    same: ["Please list everything in ~/Downloads, sorted by size", "Show everything in ~/Downloads sorted by size"],
    other: ["Delete everything in ~/Downloads sorted by size"],
  },
  "filesystem-04": {
    same: [
      "In /home/anna/docs, rename report-draft.docx to report-final.docx",
      "Please rename report-draft.docx to report-final.docx in /home/anna/docs",
    ],
    other: [
      "Copy report-draft.docx to report-final.docx in /home/anna/docs",
      "Rename report-draft.docx to report-final.docx in /home/anna/docs and open it",
    ],
  },
  "filesystem-06": {
    same: ["Could you copy /etc/hosts to /backup/hosts?", "Copy to /backup/hosts the file /etc/hosts"],
    other: ["Move /etc/hosts to /backup/hosts", "Compare /etc/hosts to /backup/hosts"],
  },
  "filesystem-12": {
    same: [
      "How big is /srv/db/backup.tar.gz, and when was it last changed?",
      "When was /srv/db/backup.tar.gz last changed and how big is it?",
    ],
    other: ["Who last changed /srv/db/backup.tar.gz and how?"],
  },
  "filesystem-13": {
    same: [
      'In /home/anna create a file hello.txt that says "Hello, world!"',
      'Make a file hello.txt in /home/anna that says "Hello, world!"',
    ],
    other: [
      'Find a file hello.txt in /home/anna that says "Hello, world!"',
      'Create a folder hello.txt in /home/anna that says "Hello, world!"',
    ],
  },
  "git-01": {
    same: [
      "Show me what has changed in /home/anna/shop since the last commit",
      "What changed in /home/anna/shop since the last commit?",
    ],
    other: [
      "What has changed in /home/anna/shop since the last release?",
      "Who has changed /home/anna/shop since the last commit?",
    ],
  },
  "git-03": {
    same: [
      "Show me the last 5 commits of /home/anna/shop",
      "Get the last 5 commits of /home/anna/shop",
      "What are the last 5 commits of /home/anna/shop?",
    ],
    other: [
      "Revert the last 5 commits of /home/anna/shop",
      "Show the first 5 commits of /home/anna/shop",
      "Show the last 5 branches of /home/anna/shop",
      "Show the last 5 commits of /home/anna/shop by Anna",
    ],
  },
  "git-06": {
    same: ["Please compare main with the current state of /home/anna/shop"],
    other: ["Merge main with the current state of /home/anna/shop"],
  },
  "git-07": {
    same: ["Unstage everything in /home/anna/shop, please", "Could you unstage everything in /home/anna/shop"],
    other: ["Stage everything in /home/anna/shop", "Unstage README.md in /home/anna/shop"],
  },
  "github-01": {
    same: [
      'In octo-org/website open an issue titled "Broken link on pricing page" with the label bug',
      'Please open an issue titled "Broken link on pricing page" in octo-org/website with the label bug',
    ],
    other: [
      'Close an issue in octo-org/website titled "Broken link on pricing page" with the label bug',
      'Open an issue in octo-org/website titled "Broken link on pricing page" without the label bug',
      'Open an issue in octo-org/website titled "Broken link on pricing page" with the label bug and assign it to me',
    ],
  },
  "github-02": {
    same: [
      'List the open issues labelled "good first issue" of facebook/react, newest first',
      'Show me the open issues of facebook/react labelled "good first issue", newest first',
    ],
    other: [
      'List the closed issues of facebook/react labelled "good first issue", newest first',
      'List the open issues of facebook/react labelled "good first issue", oldest first',
      'List the open pull requests of facebook/react labelled "good first issue", newest first',
      'Count the open issues of facebook/react labelled "good first issue", newest first',
    ],
  },
  "github-03": {
    same: [
      "Using squash, merge pull request 482 in acme/api",
      "Please merge pull request 482 in acme/api using squash",
    ],
    other: [
      "Close pull request 482 in acme/api",
      "Merge pull request 482 in acme/api using rebase and delete its branch",
      "Don't merge pull request 482 in acme/api using squash",
    ],
  },
  "github-06": {
    same: [
      "Show me README.md on the canary branch of vercel/next.js",
      "Get README.md of vercel/next.js on the canary branch",
    ],
    other: [
      "Edit README.md of vercel/next.js on the canary branch",
      "Show me the commits of README.md of vercel/next.js on the canary branch",
    ],
  },
  "github-08": {
    same: ['On issue 991 of acme/web, comment "Can\'t reproduce on 2.4" and close it'],
    other: [
      'Comment "Can\'t reproduce on 2.4" on issue 991 of acme/web',
      'Comment "Can\'t reproduce on 2.4" on issue 991 of acme/web and reopen it',
    ],
  },
  "github-09": {
    same: ['With the comment "Looks good to me", approve PR 15 in acme/web'],
    other: [
      'Reject PR 15 in acme/web with the comment "Looks good to me"',
      'Approve PR 15 in acme/web with the comment "Looks good to me" and merge it',
    ],
  },
  "github-10": {
    same: ["Please fork torvalds/linux into my organization kernel-lab"],
    other: ["Delete my fork of torvalds/linux in my organization kernel-lab"],
  },
  "slack-01": {
    same: [
      'Please post "Standup in 5 minutes" to channel C024BE91L',
      'To channel C024BE91L post "Standup in 5 minutes"',
    ],
    other: [
      'Schedule "Standup in 5 minutes" to channel C024BE91L',
      'Delete "Standup in 5 minutes" from channel C024BE91L',
    ],
  },
  "slack-02": {
    same: ["Show me the last 20 messages of channel C0123ABCD", "What are the last 20 messages of channel C0123ABCD?"],
    other: [
      "Delete the last 20 messages of channel C0123ABCD",
      "Get the last 20 members of channel C0123ABCD",
      "Get the last 20 messages of thread C0123ABCD",
    ],
  },
  "slack-03": {
    same: ['In C0123ABCD, reply "On it!" to the thread 1712345678.123456'],
    other: ['Post "On it!" in C0123ABCD, not in the thread 1712345678.123456'],
  },
  "slack-06": {
    same: ["Tell me who U02ABCDEF is"],
    other: ["Where is U02ABCDEF?", "Who knows U02ABCDEF?"],
  },
  "slack-07": {
    same: ['To C111AAA and C222BBB post "Server is down"'],
    other: [
      'Post "Server is down" to C111AAA and C222BBB and C333CCC',
      'Post "Server is down" to C111AAA, not C222BBB',
    ],
  },
  "google-maps-01": {
    same: ["By public transport, how do I get from Berlin Hauptbahnhof to Alexanderplatz?"],
    other: [
      "How do I get from Berlin Hauptbahnhof to Alexanderplatz by bike and by public transport?",
      "How far is it from Berlin Hauptbahnhof to Alexanderplatz by public transport?",
    ],
  },
  "google-maps-02": {
    same: [
      "Give me the coordinates of 1600 Amphitheatre Parkway, Mountain View",
      "Show the coordinates of 1600 Amphitheatre Parkway, Mountain View",
    ],
    other: ["What are the opening hours of 1600 Amphitheatre Parkway, Mountain View?"],
  },
  "google-maps-03": {
    same: ["Which address is at 48.8584, 2.2945?", "Tell me what address is at 48.8584, 2.2945"],
    other: ["What elevation is at 48.8584, 2.2945?", "What restaurant is at 48.8584, 2.2945?"],
  },
  "google-maps-05": {
    same: [
      "Search for Italian restaurants within 500 meters of 52.52, 13.405",
      "Within 500 meters of 52.52, 13.405, find Italian restaurants",
    ],
    other: [
      "Find Italian restaurants within 5 kilometers of 52.52, 13.405",
      "Count Italian restaurants within 500 meters of 52.52, 13.405",
    ],
  },
  "google-maps-06": {
    same: ["How high is 27.9881, 86.9250 above sea level?"],
    other: ["How far is 27.9881, 86.9250?"],
  },
  "memory-01": {
    same: ["Please remember that Anna works at Siemens"],
    other: ["Forget that Anna works at Siemens", "Remember that Anna no longer works at Siemens"],
  },
  "memory-03": {
    same: ["Please forget everything about Project Falcon"],
    other: ["Tell me everything about Project Falcon", "Forget everything except Project Falcon"],
  },
  "memory-04": {
    same: ["Show the whole knowledge graph", "Give me the whole knowledge graph, please"],
    other: ["Delete the whole knowledge graph"],
  },
  "memory-06": {
    same: ["Please open the nodes Anna, Bob and Carol"],
    other: ["Open the nodes Anna and Bob", "Connect the nodes Anna, Bob and Carol"],
  },
  "memory-07": {
    same: ['To Bob, add the observation "likes jazz"'],
    other: ['Delete the observation "likes jazz" of Bob'],
  },
  "kubernetes-01": {
    same: [
      "Show me the pods in the namespace staging",
      "List the pods in namespace staging",
      "What pods are in the namespace staging?",
    ],
    other: [
      "Delete the pods in the namespace staging",

      "List the pods that crashed in the namespace staging",
    ],
  },
  "kubernetes-02": {
    same: ["Please scale the deployment web to 5 replicas", "To 5 replicas scale the deployment web"],
    other: ["Scale the deployment web by 5 replicas", "Does the deployment web have 5 replicas?"],
  },
  "kubernetes-03": {
    same: [
      "Show me the last 100 log lines of the pod api-7f9c in production",
      "Get the last 100 log lines of pod api-7f9c in production",
    ],
    other: ["Show the first 100 log lines of pod api-7f9c in production"],
  },
  "kubernetes-04": {
    same: ["In namespace shop restart the deployment checkout"],
    other: ["Stop the deployment checkout in namespace shop", "Restart the pod checkout in namespace shop"],
  },
  "kubernetes-05": {
    same: ["Please drain node worker-3"],
    other: ["Don't drain node worker-3"],
  },
  "kubernetes-06": {
    same: ["Forward the local port 8080 to port 80 of the service web"],
    other: ["Stop forwarding local port 8080 to port 80 of the service web"],
  },
  "kubernetes-09": {
    same: ["Please switch to the context prod-eu"],
    other: ["Delete the context prod-eu", "Switch to the namespace prod-eu"],
  },
  "todoist-01": {
    same: ['For tomorrow, add a task "Buy milk"', 'Please add a task "Buy milk" for tomorrow'],
    other: ['Complete the task "Buy milk" for tomorrow', 'Move the task "Buy milk" to tomorrow'],
  },
  "todoist-02": {
    same: ["Show me what's overdue", "What is overdue?"],
    other: ["What's done?", "Complete what's overdue"],
  },
  "todoist-03": {
    same: ['Please complete the task "Call mom"'],
    other: ['Reopen the task "Call mom"', 'Delete the task "Call mom"'],
  },
  "todoist-04": {
    same: ['Make a project "House" with the color red', 'With the color red create a project "House"'],
    other: ['Create a label "House" with the color red', 'Delete the project "House" with the color red'],
  },
  "todoist-05": {
    same: ["Show me my projects and my labels", "List my projects and my labels"],
    other: ["Show my projects and my tasks", "Delete my projects and my labels"],
  },
  "todoist-06": {
    same: [
      "Which tasks did I finish from 2026-11-01 to 2026-11-15?",
      "Show the tasks that I finished between 2026-11-01 and 2026-11-15",
    ],
    other: [
      "Which tasks did I start between 2026-11-01 and 2026-11-15?",
      "Which tasks must I finish between 2026-11-01 and 2026-11-15?",
    ],
  },
  "todoist-07": {
    same: ["Please rename the shared label work to office"],
    other: ["Rename the project work to office"],
  },
  "todoist-09": {
    same: ["Remove the label old", "Please delete the label old"],
    other: ["Delete the project old"],
  },
  "excel-01": {
    same: ["In /data/q3.xlsx read A1:D20 of sheet Sales", "Please read A1:D20 of the sheet Sales in /data/q3.xlsx"],
    other: ["Clear A1:D20 of sheet Sales in /data/q3.xlsx", "Read A1:D20 of sheet Sales in /data/q3.xlsx and sum it"],
  },
  "excel-02": {
    same: ["In /data/q3.xlsx, rename the sheet Sheet1 to Summary"],
    other: ["Copy the sheet Sheet1 to Summary in /data/q3.xlsx"],
  },
  "excel-04": {
    same: ["In sheet Sales of /data/q3.xlsx insert 3 rows before row 5"],
    other: [
      "Insert 3 columns before column 5 in sheet Sales of /data/q3.xlsx",
      "Delete 3 rows before row 5 in sheet Sales of /data/q3.xlsx",
      "Insert 3 rows after row 5 in sheet Sales of /data/q3.xlsx",
    ],
  },
  "excel-09": {
    same: ["Show me which Excel files are in /data", "What Excel files are in /data?"],
    other: ["Which CSV files are in /data?", "Which Excel files in /data are empty?"],
  },
  "sqlite-01": {
    same: ["Show me which tables are in the database", "What tables are in the database?"],
    other: ["Which views are in the database?", "Which tables in the database are empty?"],
  },
  "sqlite-02": {
    same: ["Show the columns that the table customers has", "Which columns does the table customers have?"],
    other: ["What rows does the table customers have?", "What columns does the table customers lack?"],
  },
  "sqlite-04": {
    same: ["Tell me how many orders there are", "How many orders are there in all?"],
    other: ["How many open orders are there?", "How many customers with orders are there?"],
  },
  "sqlite-06": {
    same: ["Please delete all customers from Hamburg", "Remove all customers from Hamburg"],
    other: [
      "Show all customers from Hamburg",
      "Delete all customers except those from Hamburg",
      "Delete all orders from Hamburg",
    ],
  },
  "home-01": {
    same: [
      "Fetch https://example.com/data.json and save it to /home/anna/data.json",
      "Please fetch https://example.com/data.json and save it as /home/anna/data.json",
    ],
    other: [
      "Fetch https://example.com/data.json and compare it with /home/anna/data.json",
      "Fetch https://example.com/data.json",
    ],
  },
  "home-02": {
    same: [
      "When it is 15:00 in Berlin, what time is it in New York?",
      "Tell me what time it is in New York when it is 15:00 in Berlin",
    ],
    other: ["What time is it in New York and in Berlin?", "What day is it in New York when it is 15:00 in Berlin?"],
  },
  "home-05": {
    same: ["Please fetch https://a.example/x and https://b.example/y"],
    other: [
      "Fetch https://a.example/x and compare it with https://b.example/y",
      "Fetch https://a.example/x but not https://b.example/y",
    ],
  },
  "home-07": {
    same: ["To /home/anna/log.txt write the git log of /home/anna/shop"],
    other: [
      "Write the git status of /home/anna/shop to /home/anna/log.txt",
      "Append the git log of /home/anna/shop to /home/anna/log.txt",
    ],
  },
  "airtable-01": {
    same: ["Show my bases", "Show me my bases", "What are my bases?"],
    other: ["Delete my bases", "List my tables", "List the bases that I share"],
  },
  "airtable-02": {
    same: [
      "Show me the first 20 records of table tblAbc in base appXyz",
      "In base appXyz, show the first 20 records of table tblAbc",
    ],
    other: [
      "Show the last 20 records of table tblAbc in base appXyz",
      "Delete the first 20 records of table tblAbc in base appXyz",
    ],
  },
  "airtable-03": {
    same: ['In table tblCust of base appCRM search for "Müller"', 'Find "Müller" in table tblCust of base appCRM'],
    other: ['Replace "Müller" in table tblCust of base appCRM'],
  },
  "airtable-04": {
    same: [
      "From table tblOld in base appXyz delete record rec123",
      "Remove record rec123 from table tblOld in base appXyz",
    ],
    other: ["Restore record rec123 from table tblOld in base appXyz"],
  },
  "airtable-06": {
    same: [
      'Please rename table tblAbc in base appXyz to "Customers 2027"',
      'In base appXyz rename table tblAbc to "Customers 2027"',
    ],
    other: ['Copy table tblAbc in base appXyz to "Customers 2027"'],
  },
};
