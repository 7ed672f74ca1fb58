import Foundation
import IdentityKit
import IdentityTesting
import ShopifyGraphQL
import Synchronization
import Testing

/// Searches everything that an app, a log or a crash report can print, and reports where secrets appear.
final class Witness: IdentityObserver, GraphQLObserver {
    let canary: SecretCanary
    private struct State {
        var texts: [(place: String, text: String)] = []
        var codes: Set<String> = []
        var types: Set<String> = []
        var sessions: Set<SessionReference> = []
    }

    private let state = Mutex(State())

    private let readsProviderResponses: Bool

    init(_ canary: SecretCanary, readsProviderResponses: Bool = true) {
        self.canary = canary
        self.readsProviderResponses = readsProviderResponses
    }

    /// The codes of the seen errors, which show that the error paths were run.
    var codes: Set<String> { state.withLock(\.codes) }

    /// The types of the seen values, without modules and generic parameters.
    var types: Set<String> { state.withLock(\.types) }

    var sessions: Set<SessionReference> { state.withLock(\.sessions) }

    func identityEvent(_ event: IdentityEvent) {
        if let session = event.session { state.withLock { _ = $0.sessions.insert(session) } }
        see(event, "event")
        see(event.kind, "event")
    }

    func graphQLEvent(_ event: GraphQLEvent) {
        see(event, "event of the Storefront")
        see(event.kind, "event of the Storefront")
    }

    /// Searches a value in all its printed forms.
    func see(_ value: Any, _ place: String) {
        // Generic parameters are in angle brackets, also in the middle of a nested type's name.
        var depth = 0
        let name = String(reflecting: type(of: value)).filter { character in
            if character == "<" { depth += 1 }
            defer { if character == ">" { depth -= 1 } }
            return depth == 0
        }
        state.withLock { _ = $0.types.insert(String(name.drop { $0 != "." }.dropFirst())) }
        note(SecretCanary.printedForms(of: value), place)
    }

    /// Searches an error, its members and its causes.
    func see(_ error: any Error, _ place: String) {
        see(error as Any, place)
        note("\(error.localizedDescription) \(error as NSError)", place)
        guard let error = error as? IdentityError else { return }
        state.withLock { _ = $0.codes.insert(error.code.rawValue) }
        let answer = readsProviderResponses ? error.providerResponse : nil
        let texts = [
            error.localizedDescription, error.message, error.hint, error.reference, error.correlationID, answer?.error,
            answer?.errorDescription, answer?.errorURI, answer?.traceID,
        ]
        note(texts.compactMap { $0 }.joined(separator: "\n"), place)
        if let answer { see(answer, place) }
        if let cause = error.cause { see(cause, "\(place), its cause") }
    }

    func note(_ text: String, _ place: String) {
        state.withLock { $0.texts.append((place, text)) }
    }

    /// Returns where secrets were found, and forgets the searched texts.
    func findings() -> [String] {
        let texts = state.withLock { state in
            defer { state.texts = [] }
            return state.texts
        }
        // One search over all texts, because most runs find nothing.
        guard !canary.findings(inText: texts.map(\.text).joined(separator: "\n")).isEmpty else { return [] }
        return texts.flatMap { place, text in
            canary.findings(inText: text).map { "\(place): \($0) in \(text.prefix(600))" }
        }
    }
}
