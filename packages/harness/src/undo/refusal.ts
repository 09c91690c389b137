import { inside } from '../files/path.ts'

/** Why no snapshots are made of a folder; undefined when it can be a workspace. All absolute. */
export function refusal(root: string, userHome: string): string | undefined {
  if (!inside(root, userHome)) return undefined
  const what = root === userHome ? 'your home directory' : 'a folder around your home directory'
  return `No snapshots are made here: ${root} is ${what}. Work in a project folder to be able to take changes of files back.`
}
