import { clearScreenDown, createInterface, cursorTo, type Interface, moveCursor } from 'node:readline'
import type { Cli } from '../cli.ts'
import { Keyboard } from './keyboard.ts'
import { bracketing } from './pastes.ts'
import { TypedLine } from './typed-line.ts'

/** What a person does at the keyboard. */
export type Heard =
  | { readonly kind: 'line'; readonly text: string }
  /** Ctrl-C; `typed` is what stood in the line, which is gone now. */
  | { readonly kind: 'interrupt'; readonly typed: string }
  /** Ctrl-D, or the end of the input. */
  | { readonly kind: 'end' }

/**
 * Lines from a person and text to one, over the same terminal. What is printed while a line is being typed goes above
 * it. Without a terminal it reads lines and prints text, and nothing is ever redrawn.
 */
export class Terminal implements Disposable {
  /** Whether a person sees what is printed and can answer. */
  readonly person: boolean
  readonly #cli: Cli
  readonly #keyboard: Keyboard | undefined
  readonly #typed = new TypedLine()
  readonly #lines: Interface
  readonly #screen: NodeJS.WriteStream
  readonly #pressed: (text: string | undefined) => void
  /** Whether the last thing printed ended a line. */
  #fresh = true
  /** The same of an answer that goes to a stdout of its own. */
  #answered = true
  /** What was printed since a line is being typed, and is no whole line yet. */
  #held = ''
  #prompted = false

  constructor(cli: Cli, hear: (heard: Heard) => void) {
    this.#cli = cli
    this.person = cli.stdin.isTTY === true && cli.terminal
    this.#screen = process.stdout
    this.#pressed = (text) => {
      // What is typed into the middle of a line that is being printed starts a line of its own.
      if (!this.#fresh && !this.#prompted && this.#lines.line === '' && text !== undefined && text >= ' ') {
        this.#print('\n')
      }
    }
    const keyboard = this.person ? new Keyboard(cli.stdin, (text) => this.#paste(text)) : undefined
    this.#keyboard = keyboard
    keyboard?.on('keypress', this.#pressed)
    const output = this.person ? { output: this.#screen } : {}
    this.#lines = createInterface({ input: keyboard ?? cli.stdin, ...output, terminal: this.person, prompt: '› ' })
    this.#lines.on('line', (text) => {
      this.#prompted = false
      this.#fresh = true
      this.#flush()
      const whole = this.person ? this.#typed.end(text) : text
      if (whole === undefined) this.prompt('… ')
      else hear({ kind: 'line', text: whole })
    })
    this.#bracket('on')
    // Whoever had the terminal meanwhile may have turned it off.
    if (this.person) this.#lines.on('SIGCONT', () => this.#bracket('on'))
    this.#lines.on('close', () => hear({ kind: 'end' }))
    this.#lines.on('SIGINT', () => hear({ kind: 'interrupt', typed: this.#dropLine() }))
  }

  /** Ask for a line; what is asked stands before it. */
  prompt(text: string): void {
    if (!this.person) return
    if (!this.#fresh) this.#print('\n')
    this.#lines.setPrompt(text)
    this.#prompted = true
    this.#fresh = false
    this.#lines.prompt(true)
  }

  /** Print text for the person; it may end anywhere in a line. */
  say(text: string): void {
    if (!this.person) {
      this.#track(text)
      this.#cli.err(text)
      return
    }
    this.#held += text
    if (!this.#typing()) this.#flush()
    else this.#above()
  }

  /** Print lines of their own. */
  line(text: string): void {
    const begin = this.#atStart() && (this.#answered || !this.#cli.terminal) ? '' : '\n'
    this.say(`${begin}${text}\n`)
  }

  /** Part of an answer: on stdout, also when that is no terminal. */
  answer(text: string): Promise<void> {
    if (!this.person) {
      if (text !== '') this.#answered = text.endsWith('\n')
      return this.#cli.out(text)
    }
    this.say(text)
    return Promise.resolve()
  }

  /** End the line an answer stopped in, where the answer is printed. */
  endLine(): Promise<void> {
    const over = this.person ? this.#atStart() : this.#answered
    return over ? Promise.resolve() : this.answer('\n')
  }

  [Symbol.dispose](): void {
    this.#flush()
    if (this.person && !this.#fresh) this.#print('\n')
    this.#bracket('off')
    this.#lines.removeAllListeners()
    this.#lines.close()
    this.#keyboard?.off('keypress', this.#pressed).close()
  }

  /** Ask the terminal to mark what is pasted; one that does not know how takes no notice. */
  #bracket(turned: keyof typeof bracketing): void {
    if (this.person && this.#cli.env['TERM'] !== 'dumb') this.#screen.write(bracketing[turned])
  }

  /** Into the line, as if it was typed. */
  #paste(text: string): void {
    if (text === '') return
    this.#pressed(text)
    this.#lines.write(this.#typed.pasted(text))
  }

  #typing(): boolean {
    return this.#prompted || this.#lines.line !== ''
  }

  #atStart(): boolean {
    if (this.#held !== '') return this.#held.endsWith('\n')
    return this.#fresh || this.#prompted
  }

  /** Whole lines go above what is being typed; the rest waits for its end. */
  #above(): void {
    const end = this.#held.lastIndexOf('\n') + 1
    if (end === 0) return
    const lines = this.#held.slice(0, end)
    this.#held = this.#held.slice(end)
    this.#eraseLine()
    this.#screen.write(lines)
    this.#lines.prompt(true)
  }

  /** Take what is being typed off the screen; it stays in the line. */
  #eraseLine(): void {
    moveCursor(this.#screen, 0, -this.#lines.getCursorPos().rows)
    cursorTo(this.#screen, 0)
    clearScreenDown(this.#screen)
  }

  #dropLine(): string {
    const typed = this.#typed.drop(this.#lines.line)
    if (typed !== '') this.#lines.write(null, { ctrl: true, name: 'e' })
    if (typed !== '') this.#lines.write(null, { ctrl: true, name: 'u' })
    this.#screen.write('^C\n')
    this.#prompted = false
    this.#fresh = true
    return typed
  }

  #flush(): void {
    const text = this.#held
    this.#held = ''
    if (text !== '') this.#print(text)
  }

  #print(text: string): void {
    this.#track(text)
    this.#screen.write(text)
  }

  #track(text: string): void {
    if (text !== '') this.#fresh = text.endsWith('\n')
  }
}
