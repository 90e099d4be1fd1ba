/**
 * Work that lasts as long as a server is connected. It begins with `connect` and ends with the transport, also if that closes
 * while connecting; a server that connects again begins again. The owner's own `onclose` is not touched.
 */
interface ClosableTransport {
  onclose?: (() => void) | undefined;
}

interface ConnectableServer<T extends ClosableTransport> {
  connect(transport: T): Promise<void>;
}

/** Calls `begin` at each connect, and the function that it returned when that connection ends. */
export function whileConnected<T extends ClosableTransport>(
  server: ConnectableServer<T>,
  begin: (transport: T) => () => void,
): void {
  const connect = server.connect.bind(server);
  server.connect = async (transport) => {
    let end: (() => void) | undefined = begin(transport);
    const stop = (): void => {
      end?.();
      end = undefined;
    };
    const previous = transport.onclose;
    transport.onclose = () => {
      stop();
      previous?.();
    };
    try {
      await connect(transport);
    } catch (error) {
      stop();
      throw error;
    }
  };
}
