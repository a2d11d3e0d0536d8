// Reads a list of {setup, query} as JSON, makes a DuckDB of each, and writes the rows of each as JSON.
const { DuckDBInstance } = require("@duckdb/node-api");

async function main() {
  const answers = [];
  for (const { setup, query } of JSON.parse(require("fs").readFileSync(0, "utf8"))) {
    const database = await DuckDBInstance.create(":memory:");
    const connection = await database.connect();
    await connection.run(setup);
    let reader;
    try {
      reader = await connection.runAndReadAll(query);
    } catch (error) {
      throw new Error(`${error.message}\n${query}`);
    }
    answers.push(reader.getRowObjectsJson());
    connection.closeSync();
    database.closeSync();
  }
  process.stdout.write(JSON.stringify(answers));
}

main().catch((error) => {
  console.error(error);
  process.exit(1);
});
