#!/usr/bin/env node
// Make the npm packages of programs: one for the system of each, and the one that starts whichever fits.
//
//   node packaging/npm/pack.mjs FOLDER [--version=v1.2.0] [PROGRAM...]
//
// Without a program it builds that of this system, with Go: the one with a fleet, which has all commands.
// Which system a program is for is read from its header, and the version is what the first program says of itself,
// where this machine can run it.
import { execFileSync } from 'node:child_process'
import { chmodSync, copyFileSync, cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'

const here = fileURLToPath(new URL('.', import.meta.url))

// systemOf returns what npm calls the system of a program, such as linux and x64.
function systemOf(program) {
  const number = (at, size) => program.readUIntLE(at, size)
  const machines = {
    elf: { 0x3e: 'x64', 0xb7: 'arm64' },
    'mach-o': { 0x01000007: 'x64', 0x0100000c: 'arm64' },
    pe: { 0x8664: 'x64', 0xaa64: 'arm64' },
  }
  let os, cpu
  if (program.readUInt32BE(0) === 0x7f454c46) [os, cpu] = ['linux', machines.elf[number(18, 2)]]
  else if (program.readUInt32BE(0) === 0xcffaedfe) [os, cpu] = ['darwin', machines['mach-o'][number(4, 4)]]
  else if (program.toString('latin1', 0, 2) === 'MZ') [os, cpu] = ['win32', machines.pe[number(number(60, 4) + 4, 2)]]
  if (!cpu) throw new Error('this is no program for Linux, macOS or Windows on amd64 or arm64')
  return { os, cpu }
}

// versionOf writes a version of Go as npm does: v1.2.0 is 1.2.0, and a build without a version 0.0.0-devel.
function versionOf(version) {
  const found = /^v?(\d+\.\d+\.\d+(?:-[0-9A-Za-z.-]+)?)(?:\+.*)?$/.exec(version)
  return found ? found[1] : '0.0.0-devel'
}

// pack writes the package of a folder and returns the name of the file.
function pack(folder, from) {
  copyFileSync(join(here, '..', '..', 'LICENSE'), join(from, 'LICENSE'))
  const [{ filename }] = JSON.parse(
    execFileSync('npm', ['pack', '--json', '--pack-destination', folder], {
      cwd: from,
      stdio: ['ignore', 'pipe', 'inherit'],
      shell: process.platform === 'win32',
    }),
  )
  return join(folder, filename.replace('@', '').replace('/', '-')) // npm 8 says the name of the package
}

function main() {
  const { values, positionals } = parseArgs({ options: { version: { type: 'string' } }, allowPositionals: true })
  const [folder, ...programs] = positionals.map((path) => resolve(path))
  if (!folder) throw new Error('say where to: pack.mjs FOLDER [PROGRAM...]')
  mkdirSync(folder, { recursive: true })
  const work = mkdtempSync(join(tmpdir(), 'tribunal-npm-'))
  try {
    if (programs.length === 0) programs.push(build(work))
    packAll(folder, programs, work, values.version)
  } finally {
    rmSync(work, { recursive: true })
  }
}

// build builds the program of this system into a folder and returns its path.
function build(folder) {
  const program = join(folder, process.platform === 'win32' ? 'tribunal.exe' : 'tribunal')
  execFileSync('go', ['build', '-ldflags=-s -w', '-o', program, './cmd/tribunal-fleet'], {
    cwd: join(here, '..', '..'),
    stdio: 'inherit',
    env: { ...process.env, CGO_ENABLED: '0' },
  })
  return program
}

// packAll writes the packages of programs, and the one that starts whichever fits.
function packAll(folder, programs, work, given) {
  const version = versionOf(given ?? execFileSync(programs[0], ['version'], { encoding: 'utf8' }).split(' ')[1])
  const wrapper = JSON.parse(readFileSync(join(here, 'package.json'), 'utf8'))
  const write = (to, description) => writeFileSync(join(to, 'package.json'), JSON.stringify(description, null, 2) + '\n')
  for (const program of programs) {
    const { os, cpu } = systemOf(readFileSync(program))
    const name = `@tribunal-dev/tribunal-${os}-${cpu}`
    if (!(name in wrapper.optionalDependencies)) throw new Error(`package.json does not name ${name}`)
    const to = join(work, `${os}-${cpu}`)
    const file = join(to, 'bin', os === 'win32' ? 'tribunal.exe' : 'tribunal')
    mkdirSync(join(to, 'bin'), { recursive: true })
    copyFileSync(program, file)
    chmodSync(file, 0o755)
    const { license, homepage, repository } = wrapper
    const description = `The program tribunal for ${os} on ${cpu}; install the package tribunal`
    write(to, { name, version, description, license, homepage, repository, os: [os], cpu: [cpu], files: ['bin'] })
    console.log(pack(folder, to))
  }
  const to = join(work, 'wrapper') // tribunal may be the program
  for (const part of ['bin', 'README.md']) cpSync(join(here, part), join(to, part), { recursive: true })
  const optionalDependencies = Object.fromEntries(
    Object.keys(wrapper.optionalDependencies).map((name) => [name, version]),
  )
  write(to, { ...wrapper, version, optionalDependencies })
  console.log(pack(folder, to))
}

try {
  main()
} catch (error) {
  console.error(error.message)
  process.exitCode = 1
}
