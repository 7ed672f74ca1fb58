internal import FoundationEssentials
internal import IdentityKit
internal import TestDoubles

/// A real provider with an injected fault.
struct FaultyProvider<Inner: JournaledRefreshing>: WrappingProvider, JournaledRefreshing {
    let inner: Inner
    let mutant: Mutant
    let clock: any IdentityClock

    func tokens(from response: RefreshResponse, refreshing tokens: TokenSet) async throws -> TokenSet {
        var response = response
        if mutant == .validatesByNow { response.receivedAt = clock.now }
        do {
            return try await inner.tokens(from: response, refreshing: tokens)
        } catch let error as IdentityError where mutant == .resendsRefused && error.kind == .rejected {
            throw RefreshRefusal(IdentityError(.rejected, .tokenResponseInvalid, error.message))
        }
    }
}
