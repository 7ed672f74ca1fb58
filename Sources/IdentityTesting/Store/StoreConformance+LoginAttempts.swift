internal import FoundationEssentials
internal import IdentityCrypto
internal import IdentityKit
internal import Testing

extension StoreConformance {
    static let loginAttemptCases: [Case] = [
        Case("a pending login is taken once, as it was put in") { store in
            let attempt = StoreSample.attempt("key", payload: "state and verifier")
            try await store.insert(attempt)
            let taken = try await store.takeLoginAttempt("key")
            #expect(taken?.key == "key")
            #expect(taken?.expiresAt == attempt.expiresAt)
            #expect(taken?.payload.isEqual(to: attempt.payload) == true)
            #expect(try await store.takeLoginAttempt("key") == nil)
        },
        Case("an unknown pending login is nil, not an error") { store in
            for key in ["unknown", ""] {
                let taken = try await store.takeLoginAttempt(key)
                #expect(taken == nil)
            }
        },
        Case("of 64 tasks that take one pending login exactly one gets it") { store in
            for round in 0..<4 {
                try await store.insert(StoreSample.attempt("key \(round)"))
                let count = try await withThrowingTaskGroup(of: Bool.self) { group in
                    for _ in 0..<64 {
                        group.addTask { try await store.takeLoginAttempt("key \(round)") != nil }
                    }
                    return try await group.reduce(into: 0) { $0 += $1 ? 1 : 0 }
                }
                #expect(count == 1)
            }
        },
        Case("64 logins that begin and end at once each get their own") { store in
            try await withThrowingTaskGroup(of: Void.self) { group in
                for number in 0..<64 {
                    group.addTask {
                        try await store.insert(StoreSample.attempt("key \(number)", payload: "\(number)"))
                        let taken = try await store.takeLoginAttempt("key \(number)")
                        #expect(taken?.payload.reveal() == "\(number)")
                    }
                }
                try await group.waitForAll()
            }
        },
        Case("keys of pending logins are compared as bytes") { store in
            for key in StoreSample.awkwardTexts {
                try await store.insert(StoreSample.attempt(key, payload: "of \(key)"))
            }
            for key in StoreSample.awkwardTexts {
                let taken = try await store.takeLoginAttempt(key)
                #expect(taken?.key.isIdentical(to: key) == true)
                #expect(taken?.payload.reveal().isIdentical(to: "of \(key)") == true)
            }
        },
        Case("a large pending login is kept whole") { store in
            let payload = Secret(bytes: try SecureRandom.bytes(7_500))
            try await store.insert(
                StoredLoginAttempt(key: "large", expiresAt: StoreSample.moment, payload: payload)
            )
            #expect(try await store.takeLoginAttempt("large")?.payload.isEqual(to: payload) == true)
        },
        Case("pending logins and sessions do not mix") { store in
            let session = try StoreSample.session()
            try await store.insert(session)
            try await store.insert(StoreSample.attempt(session.id.rawValue))
            _ = try await store.remove(session.id)
            #expect(try await store.takeLoginAttempt(session.id.rawValue) != nil)
        },
    ]
}
