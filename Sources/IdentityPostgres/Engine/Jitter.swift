/// A random wait, so that those who wait for one thing do not all come back at the same moment.
enum Jitter {
    static func duration(from low: Duration, to high: Duration) -> Duration {
        low + (high - low) * Int.random(in: 0...1_000) / 1_000
    }
}
