internal import FoundationEssentials
internal import IdentityKit
internal import IdentityStoreKit
internal import Testing

extension StoreConformance {
    static let loginAttemptCases: [Case] = [
        Case("a pending login is taken once, unchanged") { store in
            let attempt = StoreSample.attempt("key", payload: "state and verifier")
            try await store.insert(attempt)
            let taken = try await store.takeLoginAttempt("key")
            #expect(taken?.key == "key")
            #expect(taken?.expiresAt == attempt.expiresAt)
            #expect(taken?.payload.isEqual(to: attempt.payload) == true)
            #expect(try await store.takeLoginAttempt("key") == nil)
        },
        Case("a pending login that the caller refuses stays, and can be taken later") { store in
            try await store.insert(StoreSample.attempt("key", payload: "login"))
            for _ in 0..<2 {
                await expectTyped(.browserMismatch) {
                    _ = try await store.takeLoginAttempt("key") { attempt in
                        #expect(attempt.payload.reveal() == "login")
                        throw refusal
                    }
                }
            }
            #expect(try await store.takeLoginAttempt("key") { _ in }?.payload.reveal() == "login")
            #expect(try await store.takeLoginAttempt("key") { _ in throw refusal } == nil)
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
                let takers = try await count(of: 64) { _ in try await store.takeLoginAttempt("key \(round)") != nil }
                #expect(takers == 1)
            }
        },
        Case("64 concurrent logins each get their own attempt") { store in
            let own = try await count(of: 64) { number in
                try await store.insert(StoreSample.attempt("key \(number)", payload: "\(number)"))
                return try await store.takeLoginAttempt("key \(number)")?.payload.reveal() == "\(number)"
            }
            #expect(own == 64)
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
        Case("a pending login is returned with its tenant, byte by byte") { store in
            for (number, tenant) in StoreSample.awkwardTexts.enumerated() {
                try await store.insert(StoreSample.attempt("\(number)", tenant: tenant))
                #expect(try await store.takeLoginAttempt("\(number)")?.tenant.isIdentical(to: tenant) == true)
            }
        },
        Case("if two logins have the same key, the newer one is kept") { store in
            try await store.insert(StoreSample.attempt("key", payload: "old"))
            try await store.insert(StoreSample.attempt("key", tenant: "a", payload: "new"))
            #expect(try await store.takeLoginAttempt("key")?.payload.reveal() == "new")
            #expect(try await store.takeLoginAttempt("key") == nil)
        },
        Case("a pending login of up to 7,500 bytes, also with NUL, is kept completely") { store in
            for payload in [Secret(""), Secret(bytes: [0, 0xFF, 0]), try StoreSample.randomPayload(7_500)] {
                try await store.insert(
                    StoredLoginAttempt(key: "large", expiresAt: StoreSample.moment, payload: payload)
                )
                #expect(try await store.takeLoginAttempt("large")?.payload.isEqual(to: payload) == true)
            }
        },
        Case("a pending login of 300,000 bytes is kept completely, or it is refused and not stored") { store in
            let payload = try StoreSample.randomPayload(300_000)
            let isInserted = await isDone {
                try await store.insert(
                    StoredLoginAttempt(key: "large", expiresAt: StoreSample.moment, payload: payload)
                )
                return true
            }
            #expect(
                try await store.takeLoginAttempt("large")?.payload.isEqual(to: payload) == (isInserted ? true : nil)
            )
        },
        Case("the expiry of a pending login is returned exact to the bit") { store in
            for date in [StoreSample.moment, StoreSample.moment + 0.1, Date.distantFuture] {
                try await store.insert(StoreSample.attempt("key", expiresAt: date))
                #expect(try await store.takeLoginAttempt("key")?.expiresAt == date)
            }
        },
        Case("pending logins and sessions with equal keys are independent") { store in
            let session = try await StoreSample.inserted(in: store)
            try await store.insert(StoreSample.attempt(session.id.rawValue))
            _ = try await store.remove(session.id)
            #expect(try await store.takeLoginAttempt(session.id.rawValue) != nil)
        },
    ]

    static let loginLimitCases: [Case] = [
        Case("above the limit, the pending logins that expire first are removed", needing: [.attemptLimit]) { place in
            let store = try await place.open { $0.maximumAttempts = 2 }
            for (key, age) in [("late", 30.0), ("early", 10), ("middle", 20)] {
                try await store.insert(StoreSample.attempt(key, expiresAt: StoreSample.moment + age))
            }
            #expect(try await store.takeLoginAttempt("early") == nil)
            #expect(try await store.takeLoginAttempt("middle") != nil)
            #expect(try await store.takeLoginAttempt("late") != nil)
        },
        Case("at the limit, a new pending login is kept, also if it expires first", needing: [.attemptLimit]) { place in
            let store = try await place.open { $0.maximumAttempts = 1 }
            for (key, age) in [("late", 30.0), ("early", 10)] {
                try await store.insert(StoreSample.attempt(key, expiresAt: StoreSample.moment + age))
            }
            if let checking = store as? any StoreHealthChecking {
                #expect(try await checking.checkHealth().loginAttempts == 1)
            }
            #expect(try await store.takeLoginAttempt("late") == nil)
            #expect(try await store.takeLoginAttempt("early") != nil)
        },
        Case("many logins at one tenant remove no pending login of another tenant", needing: [.attemptLimit]) { place in
            let store = try await place.open { $0.maximumAttempts = 3 }
            for tenant in ["", "quiet"] {
                try await store.insert(
                    StoreSample.attempt("of \(tenant)", tenant: tenant, expiresAt: StoreSample.moment - 60)
                )
            }
            for number in 0..<20 {
                let date = StoreSample.moment + Double(number)
                try await store.insert(StoreSample.attempt("\(number)", tenant: "loud", expiresAt: date))
            }
            for tenant in ["", "quiet"] { #expect(try await store.takeLoginAttempt("of \(tenant)") != nil) }
            for number in 0..<20 {
                #expect(try await (store.takeLoginAttempt("\(number)") != nil) == (number >= 17))
            }
        },
        Case("tenants that only look alike have their own limits for logins", needing: [.attemptLimit]) { place in
            let store = try await place.open { $0.maximumAttempts = 1 }
            for tenant in StoreSample.lookalikes {
                try await store.insert(StoreSample.attempt("of \(tenant)", tenant: tenant))
            }
            for tenant in StoreSample.lookalikes { #expect(try await store.takeLoginAttempt("of \(tenant)") != nil) }
        },
        Case(
            "at the limit, a pending login that replaces another one removes no other login",
            needing: [.attemptLimit]
        ) { place in
            let store = try await place.open { $0.maximumAttempts = 2 }
            for (key, age) in [("first", 1.0), ("second", 2), ("second", 2)] {
                try await store.insert(StoreSample.attempt(key, expiresAt: StoreSample.moment + age))
            }
            #expect(try await store.takeLoginAttempt("first") != nil)
            #expect(try await store.takeLoginAttempt("second") != nil)
        },
        Case("a pending login that was taken no longer counts for the limit", needing: [.attemptLimit]) { place in
            let store = try await place.open { $0.maximumAttempts = 2 }
            for number in 0..<6 {
                let date = StoreSample.moment + Double(number)
                try await store.insert(StoreSample.attempt("passing \(number)", expiresAt: date))
                if number == 0 {
                    try await store.insert(StoreSample.attempt("kept", expiresAt: StoreSample.moment - 1))
                }
                #expect(try await store.takeLoginAttempt("passing \(number)") != nil)
            }
            #expect(try await store.takeLoginAttempt("kept") != nil)
        },
    ]
}

private let refusal = IdentityError(
    .rejected,
    .browserMismatch,
    "The callback came from another browser.",
    hint: "Ignore this error: it is part of a test."
)
