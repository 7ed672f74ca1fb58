import IdentityHTTP
import IdentityKit
import IdentityPlatform
import Testing

@testable import identity_lab

@Suite("identity-lab without a reader of its output", .timeLimit(.minutes(10)))
struct ClosedOutputTests {
    @Test("a login succeeds although the reader of its events has closed the pipe")
    func closedPipe() async throws {
        try await LabStage.with { stage in
            let arguments = ["login", "--provider", "any", "--callback", "sandbox", "--verbose", "--json"]
            let process = try LabProcess(arguments, environment: stage.environment, errors: .leaves)
            let ended = await process.ended()
            #expect(ended.status == 0, "\(ended)")
            #expect(try ended.event("session")["provider"]?.string == "any")
        }
    }

    @Test(
        "a command whose result cannot be written saves its work and exits with 1",
        arguments: [LabProcess.Reader.leaves, .missing]
    )
    func undelivered(output: LabProcess.Reader) async throws {
        try await LabStage.with { stage in
            let login = ["login", "--provider", "any", "--callback", "sandbox", "--json"]
            let process = try LabProcess(login, environment: stage.environment, output: output)
            check(await process.ended())
            let id = try await stage.run("sessions", "--json").sessionID
            for options in [["--json"], []] {
                let token = ["token", "--session", id, "--refresh", "--reveal"] + options
                check(await (try LabProcess(token, environment: stage.environment, output: output)).ended())
            }
        }
    }

    @Test("a command that fails keeps its exit status if its error cannot be written")
    func failed() async throws {
        let process = try LabProcess(["login", "--json"], environment: [:], output: .leaves)
        let ended = await process.ended()
        #expect(ended.status == 2 && ended.errors.contains(Self.message), "\(ended)")
    }

    @Test(
        "a server ends when its output cannot be written",
        arguments: [["sandbox", "--json"], ["sandbox"], ["serve", "--port", "0"]]
    )
    func servers(arguments: [String]) async throws {
        let process = try LabProcess(arguments, environment: [:], output: .leaves)
        let limit = kill(process)
        defer { limit.cancel() }
        check(await process.ended())
    }

    @Test(
        "a server ends when its reader leaves after the first line",
        arguments: [["sandbox"], ["serve", "--port", "0"]]
    )
    func firstLine(arguments: [String]) async throws {
        let process = try LabProcess(arguments, environment: [:], output: .readsLine)
        let limit = kill(process)
        defer { limit.cancel() }
        let ended = await process.ended()
        #expect(ended.status == 1 && ended.errors.contains(Self.message), "\(ended)")
    }

    @Test("a server that gets SIGINT together with its reader does not report lost output")
    func interruptedPipeline() async throws {
        let process = try LabProcess(["serve", "--port", "0"], environment: [:], output: .readsLineAndStays)
        let limit = kill(process)
        defer { limit.cancel() }
        #expect(await process.nextLine() != nil)
        // A terminal sends SIGINT to all processes of a pipeline at once, so the server gets it while its reader ends.
        process.signal(SIGSTOP)
        process.signal(SIGINT)
        process.leave()
        process.signal(SIGCONT)
        let ended = await process.ended()
        #expect(ended.status == 0 && !ended.errors.contains(Self.message), "\(ended)")
    }

    @Test("a signal counts as received as soon as it was sent, also while its handler cannot run")
    func pendingSignal() async {
        // The test needs a separate process, because signal handlers belong to the whole process.
        await #expect(processExitsWith: .success) {
            let interruption = Interruption()
            #expect(!interruption.isRequested)
            var signals = sigset_t()
            unsafe sigemptyset(&signals)
            unsafe sigaddset(&signals, SIGINT)
            unsafe pthread_sigmask(SIG_BLOCK, &signals, nil)
            raise(SIGINT)
            let isPendingSeen = interruption.isRequested
            // The handler runs before this call returns.
            unsafe pthread_sigmask(SIG_UNBLOCK, &signals, nil)
            let isHandledSeen = interruption.isRequested
            #expect(isPendingSeen && isHandledSeen)
        }
    }

    @Test("a non-blocking output loses nothing while its reader is slow")
    func slowReader() async throws {
        var ends: [Int32] = [-1, -1]
        try #require(unsafe pipe(&ends) == 0)
        let (reader, writer) = (ends[0], ends[1])
        defer { close(reader) }
        try #require(fcntl(writer, F_SETFL, O_NONBLOCK) == 0)
        let line = [UInt8](repeating: 0x41, count: 300_000)
        _ = DedicatedThread.start {
            _ = Descriptor.write(line, to: writer)
            close(writer)
        }
        var received = 0
        var room = [UInt8](repeating: 0, count: 65_536)
        while true {
            try await Task.sleep(for: .milliseconds(20))
            let count = unsafe read(reader, &room, room.count)
            if count <= 0 { break }
            received += count
        }
        #expect(received == line.count)
    }

    @Test("the sandbox ends when it cannot print a request, because its reader has read the first line only")
    func laterRequest() async throws {
        let process = try LabProcess(["sandbox", "--json"], environment: [:], output: .readsLine)
        let limit = kill(process)
        defer { limit.cancel() }
        let started = try #require(try await process.nextEvent())
        let issuer = try #require(started["configuration"]?["providers"]?["any"]?["issuer"]?.string)
        let request = HTTPRequest(
            method: .get,
            url: try HTTPURL(issuer + "/.well-known/openid-configuration"),
            allowsLoopbackHTTP: true
        )
        let transport = try CurlTransport()
        let requests = Task {
            while !Task.isCancelled {
                _ = try? await transport.send(request)
                try? await Task.sleep(for: .milliseconds(50))
            }
        }
        let ended = await process.ended()
        requests.cancel()
        await requests.value
        await transport.close()
        #expect(ended.status == 1 && ended.errors.contains(Self.message), "\(ended)")
    }

    /// Kills a process that does not end within five minutes.
    private func kill(_ process: LabProcess) -> Task<Void, any Error> {
        Task {
            try await Task.sleep(for: .seconds(300))
            process.signal(SIGKILL)
        }
    }

    private static let message = "identity-lab: The output could not be written to standard output."

    private func check(_ ended: LabProcess.Ended) {
        #expect(ended.status == 1 && ended.errors.contains(Self.message) && ended.output.isEmpty, "\(ended)")
    }
}
