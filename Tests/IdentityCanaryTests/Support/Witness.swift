import Foundation
import IdentityKit
import IdentityTesting
import ShopifyGraphQL
import Synchronization
import Testing

/// Sees whatever an app, a log or a crash report could see, and says where secrets show in it.
final class Witness: IdentityObserver, GraphQLObserver {
    let canary: SecretCanary
    private struct State {
        var texts: [(place: String, text: String)] = []
        var codes: Set<String> = []
        var types: Set<String> = []
    }

    private let state = Mutex(State())

    private let readsProviderAnswers: Bool

    init(_ canary: SecretCanary, readsProviderAnswers: Bool = true) {
        self.canary = canary
        self.readsProviderAnswers = readsProviderAnswers
    }

    /// The codes of the errors that came by: the proof that the paths really were taken.
    var codes: Set<String> { state.withLock(\.codes) }

    /// The types of the values that came by, without their modules and parameters.
    var types: Set<String> { state.withLock(\.types) }

    func identityEvent(_ event: IdentityEvent) {
        see(event, "event")
        see(event.kind, "event")
    }

    func graphQLEvent(_ event: GraphQLEvent) {
        see(event, "event of the Storefront")
        see(event.kind, "event of the Storefront")
    }

    /// A value in every way in which one can be printed.
    func see(_ value: Any, _ place: String) {
        // Parameters stand in angle brackets, in the middle of a nested type's name too.
        var depth = 0
        let name = String(reflecting: type(of: value)).filter { character in
            if character == "<" { depth += 1 }
            defer { if character == ">" { depth -= 1 } }
            return depth == 0
        }
        state.withLock { _ = $0.types.insert(String(name.drop { $0 != "." }.dropFirst())) }
        note(SecretCanary.printedForms(of: value), place)
    }

    /// An error with all that stands in and under it.
    func see(_ error: any Error, _ place: String) {
        see(error as Any, place)
        note("\(error.localizedDescription) \(error as NSError)", place)
        guard let error = error as? IdentityError else { return }
        state.withLock { _ = $0.codes.insert(error.code.rawValue) }
        let answer = readsProviderAnswers ? error.providerAnswer : nil
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

    /// Where secrets were seen; what was searched is let go.
    func findings() -> [String] {
        let texts = state.withLock { state in
            defer { state.texts = [] }
            return state.texts
        }
        // One search for all: most runs find nothing.
        guard !canary.findings(inText: texts.map(\.text).joined(separator: "\n")).isEmpty else { return [] }
        return texts.flatMap { place, text in
            canary.findings(inText: text).map { "\(place): \($0) in \(text.prefix(600))" }
        }
    }
}
