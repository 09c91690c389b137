import { createServer, type Server, type Socket } from 'node:net'

/** A TCP server that does with each connection what it is told: for everything an HTTP server would not do. */
export const rawServer = async (serve: (socket: Socket) => void): Promise<AsyncDisposable & { readonly url: URL }> => {
  const sockets = new Set<Socket>()
  const server: Server = createServer((socket) => {
    sockets.add(socket)
    // A client that resets is what some of these tests are about.
    socket.on('error', () => socket.destroy())
    serve(socket)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('the server has no port')
  return {
    url: new URL(`http://127.0.0.1:${address.port}/v1/chat/completions`),
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy()
      await new Promise<void>((resolve) => server.close(() => resolve()))
    },
  }
}

/** Once the head and this many bytes of body arrived. */
export const onRequest = (socket: Socket, then: (head: string) => void) => {
  let seen = ''
  const listen = (bytes: Buffer) => {
    seen += bytes.toString('latin1')
    if (!seen.includes('\r\n\r\n')) return
    socket.off('data', listen)
    socket.resume()
    then(seen)
  }
  socket.on('data', listen)
}
