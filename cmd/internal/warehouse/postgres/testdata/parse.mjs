// Reads a list of {dialect, sql} as JSON, and writes what parsers say against each: "" is nothing.
import { readFileSync } from "node:fs";
import { register } from "node:module";

// dt-sql-parser is written for bundlers, which find folders and files without their endings.
register("data:text/javascript," + encodeURIComponent(`
export async function resolve(name, context, next) {
  for (const ending of ["", ".js", "/index.js"]) {
    try {
      return await next(name + ending, context);
    } catch (error) {
      if (ending === "/index.js") throw error;
    }
  }
}`));

const rust = await import("@guanmingchiu/sqlparser-ts");
await rust.init();
const { SparkSQL } = await import("dt-sql-parser");

const names = {
  duckdb: "duckdb", postgres: "postgresql", bigquery: "bigquery", snowflake: "snowflake", clickhouse: "clickhouse",
};

function problem({ dialect, sql }) {
  if (dialect === "spark") {
    const errors = new SparkSQL().validate(sql);
    return errors.length > 0 ? JSON.stringify(errors.slice(0, 2)) : "";
  }
  try {
    const statements = rust.parse(sql, names[dialect]);
    return statements.length === 1 ? "" : `${statements.length} statements`;
  } catch (error) {
    return String(error.message ?? error);
  }
}

process.stdout.write(JSON.stringify(JSON.parse(readFileSync(0, "utf8")).map(problem)));
