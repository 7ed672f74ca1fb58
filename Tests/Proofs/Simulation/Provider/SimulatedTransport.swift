internal import IdentityHTTP
internal import IdentityKit

/// The network of one process: requests and responses arrive with a delay, or are lost.
final class SimulatedTransport: HTTPTransport, @unchecked Sendable {
    typealias Outcome = Result<HTTPResponse, HTTPTransportError>

    /// A running request, whose sender is resumed once.
    @safe private final class Call: @unchecked Sendable {
        var continuation: UnsafeContinuation<Outcome, Never>?
        var exchange: Exchange?
    }

    private let world: World
    private let process: VirtualProcess

    init(_ world: World, _ process: VirtualProcess) {
        self.world = world
        self.process = process
    }

    func send(_ request: HTTPRequest) async throws(HTTPTransportError) -> HTTPResponse {
        let call = Call()
        let outcome = await withTaskCancellationHandler {
            await unsafe withUnsafeContinuation { continuation in
                unsafe call.continuation = continuation
                begin(request, call)
            }
        } onCancel: {
            end(call, .failure(Self.failure(.cancelled, .ambiguous)))
        }
        return try outcome.get()
    }

    private static func failure(
        _ code: HTTPTransportError.Code,
        _ phase: HTTPTransportError.Phase
    )
        -> HTTPTransportError
    {
        HTTPTransportError(code: code, phase: phase, message: "simulated")
    }

    private func end(_ call: Call, _ outcome: Outcome, isUsable: Bool = false) {
        guard let continuation = unsafe call.continuation.take() else { return }
        if let exchange = call.exchange {
            exchange.state = isUsable ? .delivered : .failed
            if !isUsable { world.server.leftInDoubt(exchange) }
            world.note(
                process,
                "\(exchange.text) \(isUsable ? "got a usable response" : "failed"): \(Self.text(of: outcome))"
            )
        }
        unsafe continuation.resume(returning: outcome)
    }

    private static func text(of outcome: Outcome) -> String {
        switch outcome {
        case .success(let response): "\(response.status)"
        case .failure(let error): "\(error.code.rawValue) \(error.phase)"
        }
    }

    private func begin(_ request: HTTPRequest, _ call: Call) {
        if Task.isCancelled { return end(call, .failure(Self.failure(.cancelled, .notSent))) }
        let fields = FormEncoding.decode(request.body ?? []) ?? []
        func field(_ name: String) -> String? { fields.first { $0.name == name }?.value }
        let token = field("grant_type") == "refresh_token" ? field("refresh_token") : nil
        let planned = PlannedOutcome(&world.scheduler.random, world.faults, isExchange: token != nil)
        if planned != .success { world.tally.networkFaults += 1 }
        world.scheduler.after(request.limits.totalTimeout, as: process.number) { [self] in
            end(call, .failure(Self.failure(.timedOut, .ambiguous)))
        }
        guard world.scheduler.now >= world.outageUntil, planned != .unreachable else {
            return arrive(in: 5...3000) { [self] in end(call, .failure(Self.failure(.connectionFailed, .notSent))) }
        }
        guard let token else { return deliver(request, call, planned, revoking: field("token")) }
        stopWhileConnecting()
        arrive(in: 1...300) { [self] in
            guard unsafe call.continuation != nil else { return }
            // The lock is checked at the moment at which the request is sent, as the real transport does.
            guard request.maySend?() ?? true else {
                return end(call, .failure(Self.failure(.sendingRefused, .notSent)))
            }
            call.exchange = world.server.sent(token, by: process, as: field("client_id") ?? "")
            world.note(process, "sends \(token)\(planned == .success ? "" : "; outcome: \(planned.rawValue)")")
            injectProcessFaults()
            deliver(request, call, planned, revoking: nil)
        }
    }

    private func deliver(_ request: HTTPRequest, _ call: Call, _ planned: PlannedOutcome, revoking token: String?) {
        // The timer belongs to the world: a request that was sent reaches the provider even if its sender crashes.
        world.scheduler.after(world.scheduler.random.milliseconds(1...300), as: world.owner) { [self] in
            // The request does not arrive if the sender has disconnected before.
            guard unsafe call.continuation != nil || process.hasCrashed else { return }
            let reply = Reply.to(request, call.exchange, planned, in: world, revoking: token)
            arrive(in: planned.delay) { [self] in
                guard let response = reply.response else {
                    return end(call, .failure(Self.failure(.connectionLost, .ambiguous)))
                }
                end(call, .success(response), isUsable: reply.isUsable)
            }
        }
    }

    private func stopWhileConnecting() {
        guard world.scheduler.random.permille(world.faults.stopInExchange) else { return }
        world.stop(process, for: world.scheduler.random.milliseconds(1_000...50_000))
    }

    /// Chooses faults of a process while it waits for a response or has just received it.
    private func injectProcessFaults() {
        let moment = world.scheduler.random.milliseconds(0...1500)
        if world.scheduler.random.permille(world.faults.crashInExchange) {
            world.scheduler.after(moment, as: world.owner) { [self] in world.crash(process) }
        }
        if world.scheduler.random.permille(world.faults.stopInExchange) {
            let length = world.scheduler.random.milliseconds(1_000...50_000)
            world.scheduler.after(moment, as: world.owner) { [self] in world.stop(process, for: length) }
        }
    }

    private func arrive(in range: ClosedRange<Int>, _ body: @escaping () -> Void) {
        world.scheduler.after(world.scheduler.random.milliseconds(range), as: process.number, body)
    }
}
