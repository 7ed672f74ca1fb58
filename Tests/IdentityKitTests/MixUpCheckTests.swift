import IdentityHTTP
import IdentityKit
import IdentityTesting
import TestDoubles
import Testing

/// Mix-up attacks (RFC 9700 section 4.4): the buyer logs in at `attacker`, which redirects the browser to `honest`.
@Suite("The check against mix-up attacks")
struct MixUpCheckTests {
    private static let callbackURL = "https://app.example/callback"

    private struct World {
        let attacker: StrictProvider
        let honest: StrictProvider
        let manager: SessionManager

        /// `attacker` and `honest` are the redirect URIs of the two providers; the login begins at the attacker and expects `issuer`.
        ///
        /// The manager serves the attacker's `tenant`; the honest provider belongs to `shop-2`.
        init(attacker: String?, honest: String?, issuer: String? = nil, tenant: String? = nil) throws {
            let clock = ManualClock()
            self.attacker = StrictProvider(
                clock: clock,
                name: "attacker",
                tenant: tenant ?? "",
                redirectURI: attacker,
                issuer: issuer
            )
            self.honest = StrictProvider(
                clock: clock,
                name: "honest",
                tenant: tenant == nil ? "" : "shop-2",
                redirectURI: honest
            )
            var configuration = SessionManager.Configuration()
            configuration.tenant = tenant
            manager = try SessionManager(self.attacker, self.honest, clock: clock, configuration: configuration)
        }

        /// The error code of a callback at an address; nil when the code goes to the provider where the login began.
        func refusal(
            at place: String?,
            iss: String? = nil,
            provider: String? = nil,
            redirectURI: String? = nil
        ) async throws -> IdentityError.Code? {
            var options = LoginOptions()
            options.redirectURI = redirectURI
            let started = try await manager.begin("attacker", options: options)
            let issuer = iss.map { "&iss=\(FormEncoding.escape($0))" } ?? ""
            let query = "code=of-honest&\(try #require(started.url.query))\(issuer)"
            let callback =
                try place.map { try LoginCallback(url: "\($0)?\(query)") } ?? LoginCallback(form: Array(query.utf8))
            let before = attacker.exchanges
            do {
                _ = try await manager.complete(callback, browserBinding: started.browserBinding, provider: provider)
                #expect(attacker.exchanges == before + 1)
                return nil
            } catch {
                #expect(attacker.exchanges == before)
                return IdentityError.wrapping(error).code
            }
        }
    }

    @Test("if another provider has no configured redirect URI, a callback needs the provider's name or an iss")
    func otherWithoutRedirectURI() async throws {
        let world = try World(attacker: Self.callbackURL, honest: nil)
        #expect(try await world.refusal(at: Self.callbackURL) == .responseIssuerMismatch)
        #expect(try await world.refusal(at: nil) == .responseIssuerMismatch)
        #expect(try await world.refusal(at: Self.callbackURL, provider: "honest") == .responseIssuerMismatch)
        #expect(try await world.refusal(at: Self.callbackURL, provider: "attacker") == nil)
    }

    @Test("if the login's provider has no configured redirect URI, a callback needs the provider's name")
    func ownWithoutRedirectURI() async throws {
        let world = try World(attacker: nil, honest: Self.callbackURL)
        #expect(try await world.refusal(at: Self.callbackURL) == .responseIssuerMismatch)
        #expect(try await world.refusal(at: "https://app.example/other") == .responseIssuerMismatch)
        #expect(try await world.refusal(at: Self.callbackURL, provider: "attacker") == nil)
    }

    @Test("a provider of another tenant can also be the sender of a callback")
    func otherTenant() async throws {
        for honest in [Self.callbackURL, nil] {
            let world = try World(attacker: Self.callbackURL, honest: honest, tenant: "shop-1")
            #expect(try await world.refusal(at: Self.callbackURL) == .responseIssuerMismatch)
            #expect(try await world.refusal(at: Self.callbackURL, provider: "attacker") == nil)
        }
    }

    @Test("separate redirect URIs prove the sender of a callback only if the callback's address is known")
    func distinctRedirectURIs() async throws {
        let world = try World(attacker: Self.callbackURL, honest: "https://app.example/callback/honest")
        #expect(try await world.refusal(at: Self.callbackURL) == nil)
        #expect(try await world.refusal(at: "/callback") == nil)
        #expect(try await world.refusal(at: "https://app.example/callback/honest") == .responseIssuerMismatch)
        #expect(try await world.refusal(at: "/callback/honest") == .responseIssuerMismatch)
        #expect(try await world.refusal(at: "/behind-a-proxy/callback") == .responseIssuerMismatch)
        #expect(try await world.refusal(at: "") == .responseIssuerMismatch)
        #expect(try await world.refusal(at: nil) == .responseIssuerMismatch)
        #expect(try await world.refusal(at: "/behind-a-proxy/callback", provider: "attacker") == nil)
    }

    @Test("redirect URIs with equal paths on two hosts prove the sender of a callback only with the whole URL")
    func twoHosts() async throws {
        let world = try World(attacker: Self.callbackURL, honest: "https://other.example/callback")
        #expect(try await world.refusal(at: Self.callbackURL) == nil)
        #expect(try await world.refusal(at: "/callback") == .responseIssuerMismatch)
    }

    @Test("a redirect URI that was set for one login does not prove the sender of a callback")
    func ownRedirectURIOfOneLogin() async throws {
        let world = try World(attacker: Self.callbackURL, honest: "https://app.example/callback/honest")
        let other = "https://app.example/other"
        #expect(try await world.refusal(at: other, redirectURI: other) == .responseIssuerMismatch)
        #expect(try await world.refusal(at: other, provider: "attacker", redirectURI: other) == nil)
    }

    @Test("the iss of a callback proves its sender if it equals the login's issuer byte for byte")
    func issuer() async throws {
        let bound = try World(attacker: Self.callbackURL, honest: nil, issuer: "https://id.example/K")
        #expect(try await bound.refusal(at: Self.callbackURL, iss: "https://id.example/K") == nil)
        #expect(try await bound.refusal(at: nil, iss: "https://id.example/K") == nil)
        for other in ["https://id.example/\u{212A}", "https://id.example/", "https://honest.example", ""] {
            #expect(try await bound.refusal(at: Self.callbackURL, iss: other) == .responseIssuerMismatch)
        }
        // Without an expected issuer, a login cannot check the iss.
        let unbound = try World(attacker: Self.callbackURL, honest: nil)
        #expect(
            try await unbound.refusal(at: Self.callbackURL, iss: "https://honest.example") == .responseIssuerMismatch
        )
    }

    @Test("a callback at another path than the redirect URI's is refused, even with a single provider")
    func otherPath() async throws {
        let clock = ManualClock()
        let provider = StrictProvider(clock: clock, redirectURI: "https://app.example/callback/strict")
        let manager = try SessionManager(provider, clock: clock)
        func refusal(_ address: String, provider: String?) async throws -> IdentityError.Code? {
            let started = try await manager.begin("strict")
            let callback = try LoginCallback(url: "\(address)?code=c&\(try #require(started.url.query))")
            do {
                _ = try await manager.complete(
                    callback,
                    browserBinding: started.browserBinding,
                    provider: provider
                )
                return nil
            } catch {
                return IdentityError.wrapping(error).code
            }
        }
        for address in ["/callback", "https://app.example/", "/callback/strict/", "/Callback/strict"] {
            #expect(try await refusal(address, provider: nil) == .callbackInvalid, "\(address)")
            // With the provider's name no path is compared, because a proxy of the app may change paths.
            #expect(try await refusal(address, provider: "strict") == nil, "\(address)")
        }
        for address in [
            "", "/callback/strict", "https://app.example/callback/strict", "http://10.0.0.1:8080/callback/strict",
        ] {
            #expect(try await refusal(address, provider: nil) == nil, "\(address)")
        }
    }

    @Test("with a single provider, a callback needs no proof of its sender")
    func alone() async throws {
        let clock = ManualClock()
        let provider = StrictProvider(clock: clock)
        let manager = try SessionManager(provider, clock: clock)
        let started = try await manager.begin("strict")
        let callback = try LoginCallback(form: Array("code=c&\(try #require(started.url.query))".utf8))
        _ = try await manager.complete(callback, browserBinding: started.browserBinding)
        #expect(provider.exchanges == 1)
    }
}
