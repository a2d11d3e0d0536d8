// Tests that pass often enough: for vitest, over the command tribunal.
//
//	import { tribunal } from 'tribunal-vitest'
//
//	tribunal.test('refunds an order', { threshold: 0.9 }, async (trial) => {
//	  const reply = await agent.ask('refund order 7', { signal: trial.signal })
//	  expect(reply).toContain('refunded')
//	})
//
// The function is tried until it is known whether it passes in 90 % of its trials. See README.md.

import { spawn } from 'node:child_process'
import { existsSync, mkdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { test as vitest } from 'vitest'

// Infrastructure says that a trial could not be made: the network was down, a service refused.
export class Infrastructure extends Error {}

// So many errors in a row end a test. Chosen.
const mostErrors = 3

// decide tries a function until there is a verdict, and returns the last line of tribunal verdict decide:
// { verdict, passes, trials, text, summary, interval, p_value, causes, ... }. It needs no test framework.
export async function decide(name, options, attempt) {
  const { concurrency = 1, seed = 1, program = process.env.TRIBUNAL ?? 'tribunal', signal } = options
  const flags = {
    threshold: '--threshold', delta: '--delta', alpha: '--alpha', beta: '--beta', maxTrials: '--max-trials',
    save: '--output', baseline: '--baseline', record: '--record',
  }
  const args = ['verdict', 'decide', '--name', name]
  for (const [key, flag] of Object.entries(flags)) {
    if (options[key] !== undefined) args.push(flag, String(options[key]))
  }
  // The program would take the variables of a whole run for its own.
  const { TRIBUNAL_RESULTS, TRIBUNAL_BASELINE, TRIBUNAL_RECORD, ...env } = process.env
  const child = spawn(program, args, { stdio: 'pipe', env })
  let complaint = ''
  child.stderr.setEncoding('utf8').on('data', (text) => { complaint += text })
  child.stdin.on('error', () => {}) // it has ended, and says why
  const failed = new Promise((_, reject) => child.on('error', (error) =>
    reject(new Error(`the program ${program} cannot be started: ${error.message}; put it in PATH, or name it by the variable TRIBUNAL`))))
  failed.catch(() => {})
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]()
  const hear = async () => {
    const { value, done } = await Promise.race([lines.next(), failed])
    if (done) throw new Error(complaint.trim() || 'tribunal verdict decide ended without a word')
    return JSON.parse(value)
  }
  const running = new Set()
  let begun = 0
  let errors = 0
  try {
    let answer = await hear()
    while ('need' in answer) {
      // Those that run are among the needed ones.
      while (running.size < Math.max(1, concurrency) && running.size < answer.need) {
        const promise = one(attempt, begun++, seed, signal).then((record) => ({ record, promise }))
        running.add(promise)
      }
      const ended = await Promise.race([...running])
      running.delete(ended.promise)
      child.stdin.write(JSON.stringify(ended.record) + '\n')
      errors = ended.record.outcome === 'error' ? errors + 1 : 0
      if (errors === mostErrors) child.stdin.end()
      do answer = await hear()
      while (errors === mostErrors && 'need' in answer)
    }
    return errors === mostErrors ? { ...answer, text: `${errors} trials in a row ended in errors` } : answer
  } finally {
    child.stdin.end()
    child.stdout.destroy()
  }
}

// one makes one trial, and returns its record.
async function one(attempt, number, seed, signal) {
  const record = { trial: number, outcome: 'pass' }
  const add = (key, amount) => { record[key] = (record[key] ?? 0) + amount }
  const began = performance.now()
  try {
    await attempt({
      number, signal,
      seed: Number((BigInt(seed) * 1000003n + BigInt(number)) % (1n << 53n)),
      charge: (usd) => add('cost_usd', usd),
      tokens: (input, output) => { add('input_tokens', input); add('output_tokens', output) },
      output: (answer) => { record.output = answer },
    })
  } catch (error) {
    const message = String(error?.message ?? error)
    record.outcome = error instanceof Infrastructure ? 'error' : 'fail'
    record.error = error instanceof Infrastructure ? { origin: 'infrastructure', message } : { message }
  }
  record.duration_s = (performance.now() - began) / 1000
  return record
}

// test is a test of vitest that is decided by several trials. Options are those of decide, undecided ('fail'
// or 'skip'), and timeout of the whole test in milliseconds. What came of it is in the test's meta, for reporter.js.
function test(name, options, attempt) {
  vitest(name, { timeout: options.timeout ?? 600_000 }, async (context) => {
    const full = fullName(context.task)
    let cause // the first error, for the lines where it was thrown
    const kept = async (trial) => {
      try {
        await attempt(trial)
      } catch (error) {
        cause ??= error
        throw error
      }
    }
    const result = await decide(full, { signal: context.signal, ...ofTheRun(full), ...options }, kept)
    context.task.meta.tribunal = result
    await context.annotate?.(`${result.verdict}: ${result.summary}`, 'tribunal')
    if (result.verdict === 'pass' || result.verdict === 'recorded') return
    const first = (result.verdict === 'fail' ? '' : 'undecided: ') + result.text
    const text = [first, ...(result.causes ?? []).map(({ count, text }) => `  ${count} × ${text}`)].join('\n')
    if (result.verdict !== 'fail' && options.undecided === 'skip') context.skip(text)
    const error = new Error(text, { cause })
    error.stack = `Error: ${text}` // the lines of this file say nothing
    throw error
  })
}

// fullName is the file, the groups and the name of a test.
function fullName(task) {
  const names = [task.name]
  for (let suite = task.suite; suite?.name; suite = suite.suite) names.unshift(suite.name)
  if (names[0] !== task.file.name) names.unshift(task.file.name)
  return names.join(' > ')
}

// ofTheRun are the options that the variables of the whole run say: where results are saved, the folder with those of
// an earlier run, which each test is compared with, and the number of trials of one that makes a baseline.
function ofTheRun(name) {
  const { TRIBUNAL_RESULTS: results, TRIBUNAL_BASELINE: baseline, TRIBUNAL_RECORD: record } = process.env
  const file = name.replace(/[%/\\:*?"<>|]/g, (c) => '%' + c.charCodeAt(0).toString(16).toUpperCase()) + '.result.json'
  const options = {}
  if (results) {
    mkdirSync(results, { recursive: true })
    options.save = join(results, file)
  }
  if (record) return { ...options, record }
  if (!baseline) return options
  if (!statSync(baseline, { throwIfNoEntry: false })?.isDirectory()) {
    throw new Error(`TRIBUNAL_BASELINE: ${baseline} is no folder; name the one that TRIBUNAL_RESULTS made`)
  }
  if (existsSync(join(baseline, file))) return { ...options, baseline: join(baseline, file) }
  console.log(`tribunal: there is no baseline ${join(baseline, file)}, so the threshold alone decides`)
  return options
}

export const tribunal = { test, decide, Infrastructure }
