internal import Dispatch
internal import Foundation

/// The code that the programs of all server frameworks share: the command line, signals and errors.
public enum ShopProgram {
    /// Reads the command line, and runs the shop; the process ends with status 1 after an error.
    ///
    /// - Parameter body: Opens the shop, starts the server, and returns when both have ended.
    public static func main(_ body: (Options) async throws -> Void) async {
        do {
            try await body(try Options(CommandLine.arguments.dropFirst()))
        } catch {
            print("✗ \(error)")
            exit(1)
        }
    }

    /// Starts to listen for SIGINT and SIGTERM, calls `announce`, and waits for a signal or a cancellation of the task.
    static func waitForSignal(_ announce: () -> Void) async {
        let (received, signals) = AsyncStream.makeStream(of: Void.self)
        let (registered, registrations) = AsyncStream.makeStream(of: Void.self)
        let sources = [SIGINT, SIGTERM].map { number in
            signal(number, SIG_IGN)
            let source = DispatchSource.makeSignalSource(signal: number)
            source.setEventHandler { signals.yield() }
            source.setRegistrationHandler { registrations.yield() }
            source.resume()
            return source
        }
        // Dispatch registers the sources in the background. A signal that arrives before that has no effect.
        for await _ in registered.prefix(sources.count) {}
        announce()
        _ = await received.first { _ in true }
        for source in sources { source.cancel() }
        // A second signal ends the program at once.
        for number in [SIGINT, SIGTERM] { signal(number, SIG_DFL) }
    }
}
