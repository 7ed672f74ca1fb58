internal import IdentityKit
internal import IdentityLoopback

package struct SandboxCall: Sendable {
    package let request: SandboxRequest
    let fault: SandboxFault?

    var idTokenChanges: [@Sendable (inout SandboxIDToken) -> Void] {
        fault?.effects.compactMap { if case .idToken(let change) = $0 { change } else { nil } } ?? []
    }
}

package struct SandboxRoute: Sendable {
    let journal: SandboxJournal
    let endpoint: SandboxEndpoint
    let handle: @Sendable (SandboxCall) async -> SandboxResponse

    package init(
        journal: SandboxJournal,
        endpoint: SandboxEndpoint,
        handle: @escaping @Sendable (SandboxCall) async -> SandboxResponse
    ) {
        self.journal = journal
        self.endpoint = endpoint
        self.handle = handle
    }

    /// Records a request, applies its planned fault, and returns the response; adds a missing `Date` from the configuration's clock.
    func respond(to message: LoopbackRequest, _ configuration: SandboxConfiguration) async -> LoopbackResponse {
        let request = SandboxRequest(
            endpoint: endpoint,
            method: message.method,
            path: message.path,
            query: message.query,
            headers: message.headers,
            body: message.body
        )
        let call = SandboxCall(request: request, fault: journal.record(request))
        let effects = call.fault?.effects ?? []
        for effect in effects {
            switch effect {
            case .before(let action): await action()
            case .reset(afterActing: false):
                configuration.onResponse?(request, nil)
                return .script([.reset])
            case .raw(let bytes):
                configuration.onResponse?(request, nil)
                return .script([.send(bytes), .close])
            default: continue
            }
        }
        let replacement = effects.lazy.compactMap { if case .replace(let response) = $0 { response } else { nil } }
            .first
        var sent = if let replacement { replacement } else { await handle(call) }
        if !sent.headers.contains(where: { $0.name.lowercased() == "date" }) {
            sent.headers.append(("Date", HTTPDate.text(secondsSince1970: configuration.clock.now.epochSeconds)))
        }
        for case .edit(let change) in effects { change(&sent) }
        let isLost = effects.contains { if case .reset = $0 { true } else { false } }
        configuration.onResponse?(request, isLost ? nil : sent.status)
        return await Self.deliver(sent, effects)
    }
}
