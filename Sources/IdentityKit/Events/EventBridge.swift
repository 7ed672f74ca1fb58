/// Passes the events of sessions, GraphQL operations and carts to one function, all as ``ObservedEvent``.
///
/// ```swift
/// let bridge = EventBridge { event in
///     logger.log(level: event.level == .critical ? .critical : .debug, "\(event.name) \(event.metadata)")
/// }
/// let sessions = SessionManager(providers: providers, store: store, environment: environment, observers: [bridge])
/// let client = StorefrontClient(configuration: storefront, environment: environment, observers: [bridge])
/// policy.onEvent = bridge.cartEvent
/// ```
public struct EventBridge: IdentityObserver {
    private let receive: @Sendable (ObservedEvent) -> Void

    /// Creates a bridge; `receive` runs synchronously on the task that caused the event, so return quickly.
    public init(_ receive: @escaping @Sendable (ObservedEvent) -> Void) {
        self.receive = receive
    }

    /// Passes on an event that is an ``ObservedEvent`` already.
    public func send(_ event: ObservedEvent) { receive(event) }

    /// Passes on an event of a session or provider.
    public func identityEvent(_ event: IdentityEvent) {
        send(
            ObservedEvent(
                "identity_" + event.kind.name,
                detail: event.kind.detail,
                level: event.level,
                duration: event.duration > .zero ? event.duration : nil,
                labels: [("provider", event.provider)],
                metadata: [
                    ("session", event.session?.rawValue), ("correlation_id", event.correlationID),
                    ("client_address", event.browser?.address), ("user_agent", event.browser?.userAgent),
                ]
            )
        )
    }
}

extension IdentityEvent {
    fileprivate var level: ObservedEvent.Level {
        guard !isAttackSuspected else { return .critical }
        return switch kind {
        case .tokensSpooled, .tokensNotDurable: .critical
        case .loginFailed, .loginTokensDropped, .tokensReduced, .refreshFailed, .refreshInDoubt, .providerPaused,
            .providerResumed, .storeFailed, .sessionEnded, .logoutRefused, .revocationFailed, .participantFailed,
            .requestFailed, .keySetUnavailable, .keySetRefetchRefused, .metadataUnavailable:
            .notice
        case .loginStarted, .loginCompleted, .refreshed, .refreshRepaired, .lockWaited, .swept, .sessionReplaced,
            .loggedOut, .keySetRefreshed:
            .debug
        }
    }
}
