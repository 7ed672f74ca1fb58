/// A point at which the code under test waits until the test releases it.
package struct StoppingPoint: Sendable {
    private let arrival = Gate()
    private let permission = Gate()

    package init() {}

    /// Reports that a call has arrived, and waits until the test releases it.
    package func pass() async {
        arrival.open()
        await permission.wait()
    }

    package func arrived() async { await arrival.wait() }

    /// Lets the call and all later ones continue.
    package func release() { permission.open() }
}
