import type { SecretKind } from './placeholder.ts'

/** How secrets look that nobody told us about. Every pattern is bounded, so hostile text cannot make it slow. */
export interface SecretFormat {
  readonly kind: SecretKind
  /** Global; the group `keep`, when it took part, stays in front of the placeholder. */
  readonly pattern: RegExp
  /** A plain text that is in every match: without it the pattern is not tried. */
  readonly hint: string
}

/** Letters before a key that are no part of a word: the end of a colour, and line ends and tabs as JSON writes them. */
const noWord = String.raw`(?<=\u001b\[[\d;]{0,16}[mK]|\\[nrt])`

/** What a pattern says must not stand before it does not count there. */
const format = (kind: SecretKind, hint: string, { source, flags }: RegExp): SecretFormat => {
  const edged = source.replace(/^\(\?<!\[[^\]]*\]\)/, (edge) => `(?:${edge}|${noWord})`)
  return { kind, hint, pattern: new RegExp(edged, flags) }
}

/**
 * Sources: the token formats GitHub, GitLab, AWS, Slack, Google, npm, OpenAI and Anthropic document for their keys;
 * RFC 7519 (JWT), RFC 3986 §3.2.1 (a password in an address). Private keys are in pem.ts.
 */
export const formats: readonly SecretFormat[] = [
  format('api-key', 'sk-', /(?<![A-Za-z0-9_-])sk-[A-Za-z0-9_-]{16,512}/g),
  format('github-token', 'gh', /(?<![A-Za-z0-9_])gh[pousr]_[A-Za-z0-9]{30,255}/g),
  format('github-token', 'github_pat_', /(?<![A-Za-z0-9_])github_pat_[A-Za-z0-9_]{22,255}/g),
  format('gitlab-token', 'glpat-', /(?<![A-Za-z0-9_-])glpat-[A-Za-z0-9_-]{20,255}/g),
  format('aws-key', 'A', /(?<![A-Za-z0-9])A(?:KIA|SIA)[A-Z0-9]{16}(?![A-Za-z0-9])/g),
  format('slack-token', 'xox', /(?<![A-Za-z0-9])xox[abeoprs]-[A-Za-z0-9-]{10,255}/g),
  format('google-key', 'AIza', /(?<![A-Za-z0-9_-])AIza[A-Za-z0-9_-]{35}(?![A-Za-z0-9_-])/g),
  format('npm-token', 'npm_', /(?<![A-Za-z0-9_])npm_[A-Za-z0-9]{36}(?![A-Za-z0-9])/g),
  format('jwt', 'eyJ', /(?<![A-Za-z0-9_-])eyJ[A-Za-z0-9_-]{8,4096}\.eyJ[A-Za-z0-9_-]{4,8192}\.[A-Za-z0-9_-]{8,2048}/g),
  // Variables (`$NAME`, `${NAME}`) and examples (`<password>`) are no passwords.
  format(
    'url-password',
    '://',
    /(?<keep>[a-z][a-z0-9+.-]{1,20}:\/\/[^\s:@/?#⟦]{0,128}:)(?!\$\{?\w+\}?@|<[^>\s]{0,64}>@)[^\s@/⟦]{1,256}(?=@)/gi,
  ),
]
