/// A request with its planned fault, for a provider's handler.
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
}
