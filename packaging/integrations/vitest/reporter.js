// The summary of the tests that several trials decided, at the end of a run:
//
//	test: { reporters: ['default', 'tribunal-vitest/reporter'] }

import { styleText } from 'node:util'

const words = { pass: ['PASS', 'green'], fail: ['FAIL', 'red'], inconclusive: ['UNDECIDED', 'yellow'], recorded: ['RECORDED', 'green'] }

export default class TribunalReporter {
  onTestRunEnd(modules) {
    const rows = []
    for (const module of modules) {
      for (const test of module.children.allTests()) {
        const result = test.meta().tribunal
        if (result) rows.push([result, `${module.relativeModuleId} > ${test.fullName}`])
      }
    }
    if (rows.length === 0) return
    const width = Math.max((process.stdout.columns || Number(process.env.COLUMNS) || 80) - 11, 40)
    console.log('\n tribunal')
    for (const [{ verdict, summary }, name] of rows) {
      const [word, colour] = words[verdict]
      const gap = summary.length + 2 + name.length <= width ? '  ' : '\n' + ' '.repeat(11)
      console.log(` ${styleText(colour, word.padEnd(9))} ${summary}${gap}${name}`)
    }
  }
}
