internal import FoundationEssentials
internal import IdentityCrypto
package import IdentityKit
internal import Synchronization

/// The issued tokens, the sessions of browsers and the signing keys of an authorization server of the sandbox.
///
/// Tests change the tokens with the methods of ``SandboxAuthorizationServer``, from any thread.
public final class SandboxTokens: Sendable {
    struct State: Sendable {
        var ledger: GrantLedger
        var logins: LoginSessions
        var keyring: SigningKeyring
    }

    let clock: any IdentityClock
    let directory: BuyerDirectory
    let state: Mutex<State>

    init(
        _ configuration: SandboxConfiguration,
        _ directory: BuyerDirectory,
        brand: String,
        keyIDPrefix: String? = nil,
        algorithms: [SignatureAlgorithm] = [.rs256]
    ) {
        self.directory = directory
        clock = configuration.clock
        state = Mutex(
            State(
                ledger: GrantLedger(configuration),
                logins: LoginSessions(brand: brand),
                keyring: SigningKeyring(owner: brand.lowercased(), keyIDPrefix: keyIDPrefix, algorithms: algorithms)
            )
        )
    }

    func endSessions(ofBuyer email: String) {
        guard let buyer = directory.existingBuyer(email: email) else { return }
        state.withLock { state in
            state.logins.closeSessions { $0.buyer == buyer.number }
            state.ledger.revoke { $0.buyer == buyer.number }
        }
    }
}

/// A provider of the sandbox that issues OAuth tokens; tests can change its tokens, sessions and keys while the provider runs.
public protocol SandboxAuthorizationServer: SandboxService {
    /// The issued tokens, the sessions of browsers, and the signing keys.
    var tokens: SandboxTokens { get }

    /// Ends all sessions of a buyer; an unknown e-mail address changes nothing.
    func endSessions(ofBuyer email: String) async
}

extension SandboxAuthorizationServer {
    package var clock: any IdentityClock { tokens.clock }
    package var directory: BuyerDirectory { tokens.directory }

    /// Sets the lifetime of access tokens that are issued from now on.
    public func setAccessTokenLifetime(_ lifetime: Duration) {
        tokens.state.withLock { $0.ledger.accessTokenLifetime = lifetime }
    }

    /// Makes the provider sign with a new key for each of its algorithms; by default, the old keys stay published.
    public func rotateSigningKey(keepingOld keepsOld: Bool = true) {
        tokens.state.withLock { $0.keyring.rotate(keepsOld: keepsOld) }
    }

    /// Revokes all codes and tokens issued so far; a refresh with one of these tokens gets `invalid_grant`.
    public func revokeAll() {
        tokens.state.withLock { $0.ledger.revoke { _ in true } }
    }

    /// Revokes all codes and tokens issued to a buyer so far; a refresh with one of these tokens gets `invalid_grant`.
    public func revokeTokens(ofBuyer email: String) {
        guard let buyer = directory.existingBuyer(email: email) else { return }
        tokens.state.withLock { $0.ledger.revoke { $0.buyer == buyer.number } }
    }

    /// Expires all access tokens; a refresh still works.
    public func expireAccessTokens() {
        let now = clock.now
        tokens.state.withLock { $0.ledger.expireAccessTokens(at: now) }
    }

    /// Signs all browsers out, so that the next login shows its page again.
    public func signOutBrowsers() {
        tokens.state.withLock { $0.logins.closeSessions { _ in true } }
    }

    func keySet() -> SandboxResponse {
        journal.count(\.jwksFetches)
        return .json(tokens.state.withLock { $0.keyring.keySet() })
    }
}
