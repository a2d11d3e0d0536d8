#!/usr/bin/env node
// Starts the program of this system, which stands in a package of its own: npm installs the one that fits. Exit codes
// are verdicts, so that nothing here may end with 0, 1 or 2 by itself.
'use strict'

const { spawn } = require('node:child_process')

const failed = 70 // an internal error, as in the manual

const system = `${process.platform}-${process.arch}`
const owner = `@tribunal-dev/tribunal-${system}`
let program
try {
  program = require.resolve(`${owner}/bin/tribunal${process.platform === 'win32' ? '.exe' : ''}`)
} catch {
  console.error(`tribunal: the package ${owner} is not installed`)
  console.error(`hint: there are packages for linux, darwin and win32 on x64 and arm64, and npm leaves them out with --omit=optional`)
  process.exit(failed)
}

const child = spawn(program, process.argv.slice(2), { stdio: 'inherit' })
child.on('error', (error) => {
  console.error(`tribunal: ${program} cannot be started: ${error.message}`)
  process.exit(failed)
})

// A terminal sends an interrupt to both, and a second one would end the program at once.
const terminal = process.stdin.isTTY || process.stdout.isTTY || process.stderr.isTTY
const forwarded = {
  SIGINT: () => terminal || child.kill('SIGINT'),
  SIGTERM: () => child.kill('SIGTERM'),
  SIGHUP: () => child.kill('SIGHUP'),
}
for (const [signal, forward] of Object.entries(forwarded)) process.on(signal, forward)

child.on('exit', (code, signal) => {
  if (!signal) process.exit(code)
  for (const [caught, forward] of Object.entries(forwarded)) process.off(caught, forward)
  process.kill(process.pid, signal)
})
