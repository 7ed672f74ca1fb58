import IdentityHTTP
import IdentityKit
import IdentityOIDC
import Testing

@Suite("The buyer of a UserInfo response")
struct UserInfoBuyerTests {
    @Test("a name that is not verified completes no name of UserInfo, and stays marked if UserInfo has no name")
    func unverifiedName() async throws {
        try await FakeWorld.run { world in
            var tokens = try await world.login()
            tokens.buyer.givenName = "Eve"
            tokens.buyer.familyName = "Evil"
            tokens.buyer.displayName = "Eve Evil"
            tokens.buyer.hasUnverifiedName = true
            let completed = try await world.provider.buyerProfile(for: tokens)
            #expect(completed.givenName == "Ada" && completed.familyName == nil && completed.displayName == nil)
            #expect(!completed.hasUnverifiedName)

            world.fake.replace("/userinfo", by: FakeProvider.json(["sub": .string("buyer-1")]))
            let kept = try await world.provider.buyerProfile(for: tokens)
            #expect(kept.givenName == "Eve" && kept.familyName == "Evil" && kept.displayName == "Eve Evil")
            #expect(kept.hasUnverifiedName)

            tokens.buyer.hasUnverifiedName = false
            world.fake.replace("/userinfo", by: nil)
            let verified = try await world.provider.buyerProfile(for: tokens)
            #expect(verified.givenName == "Ada" && verified.familyName == "Evil")
        }
    }

    @Test("UserInfo may have an integer as sub only if the provider's ID tokens may")
    func numericSubject() async throws {
        struct NumericSubject: OpenIDQuirks {
            var settings: OpenIDQuirkSettings {
                var settings = OpenIDQuirkSettings()
                settings.acceptsNumericSubject = true
                return settings
            }
        }
        for (quirks, sent, isAccepted) in [
            (NumericSubject(), 4711, true), (NumericSubject(), 4712, false), (nil, 4711, false),
        ] as [(NumericSubject?, Int, Bool)] {
            try await FakeWorld.run {
                $0.quirks = quirks
            } _: { world in
                world.fake.change(claims: { $0["sub"] = quirks == nil ? .string("4711") : .integer(4711) })
                let tokens = try await world.login()
                #expect(tokens.buyer.subject == "4711")
                world.fake.replace("/userinfo", by: FakeProvider.json(["sub": .integer(sent)]))
                guard isAccepted else {
                    let error = await #expect(throws: IdentityError.self) {
                        _ = try await world.provider.userInfo(for: tokens)
                    }
                    #expect(error?.code == .idTokenSubject)
                    return
                }
                #expect(try await world.provider.userInfo(for: tokens).subject == "4711")
            }
        }
    }
}
