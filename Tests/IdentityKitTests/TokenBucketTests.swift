import IdentityKit
import Testing

@Suite("Token bucket")
struct TokenBucketTests {
    @Test("a token bucket permits a burst and then one fetch per interval, and accepts tokens back")
    func bucket() {
        var bucket = TokenBucket(size: 2, interval: .seconds(60))
        #expect((0..<4).map { _ in bucket.take(at: .seconds(5)) } == [true, true, false, false])
        let later = [64, 65, 66, 125, 10_000, 10_000, 10_000].map { bucket.take(at: .seconds($0)) }
        #expect(later == [false, true, false, true, true, true, false])
        bucket.refund()
        #expect([bucket.take(at: .seconds(10_000)), bucket.take(at: .seconds(10_000))] == [true, false])
    }
}
