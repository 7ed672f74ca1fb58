extension StorefrontSchema {
    /// The mutations that Shopify serves to selected apps only, such as apps with the Mobile Buy SDK.
    ///
    /// Shopify's public schemas do not have these mutations. Names and types are those of the Mobile Buy SDK 2026.4.0.
    static let restrictedMutations = """
        cartClone(cartId: ID!): CartClonePayload
          cartBillingAddressUpdate(cartId: ID! billingAddress: MailingAddressInput): CartBillingAddressUpdatePayload
          cartRemovePersonalData(cartId: ID!): CartRemovePersonalDataPayload
          cartPaymentUpdate(cartId: ID! payment: CartPaymentInput!): CartPaymentUpdatePayload
          cartPrepareForCompletion(cartId: ID!): CartPrepareForCompletionPayload
          cartSubmitForCompletion(cartId: ID! attemptToken: String!): CartSubmitForCompletionPayload

        """

    static let restrictedQueries = "cartCompletionAttempt(attemptId: String!): CartCompletionAttemptResult\n"

    static let restrictedTypes = """
        \(cartPayloads(["CartClone", "CartBillingAddressUpdate", "CartRemovePersonalData", "CartPaymentUpdate"]))
        type CartPrepareForCompletionPayload { result: CartPrepareForCompletionResult userErrors: [CartUserError!]! }
        type CartSubmitForCompletionPayload { result: CartSubmitForCompletionResult userErrors: [CartUserError!]! }
        union CartPrepareForCompletionResult = CartStatusNotReady | CartStatusReady | CartThrottled
        type CartStatusReady { cart: Cart }
        type CartStatusNotReady { cart: Cart errors: [CartOperationError!]! }
        type CartOperationError { code: String! message: String }
        type CartThrottled { cart: Cart pollAfter: DateTime! }
        union CartSubmitForCompletionResult = SubmitAlreadyAccepted | SubmitFailed | SubmitSuccess | SubmitThrottled
        type SubmitAlreadyAccepted { attemptId: String! }
        type SubmitFailed { checkoutUrl: URL errors: [SubmissionError!]! }
        type SubmitSuccess { attemptId: String! redirectUrl: URL! }
        type SubmitThrottled { pollAfter: DateTime! }
        enum SubmissionErrorCode
        type SubmissionError { code: SubmissionErrorCode! message: String }
        union CartCompletionAttemptResult =
          CartCompletionActionRequired | CartCompletionFailed | CartCompletionProcessing | CartCompletionSuccess
        type CartCompletionActionRequired { id: String! action: CartCompletionAction }
        union CartCompletionAction = CompletePaymentChallenge
        type CompletePaymentChallenge { redirectUrl: URL }
        type CartCompletionFailed { id: String! errors: [CompletionError!]! }
        enum CompletionErrorCode
        type CompletionError { code: CompletionErrorCode! message: String }
        type CartCompletionProcessing { id: String! pollDelay: Int! }
        type CartCompletionSuccess { id: String! completedAt: DateTime orderId: ID! orderUrl: URL! }
        input MoneyInput { amount: Decimal! currencyCode: CurrencyCode! }
        enum CartCardSource { SAVED_CREDIT_CARD }
        input CartPaymentInput {
          amount: MoneyInput! sourceIdentifier: String freePaymentMethod: CartFreePaymentMethodInput
          directPaymentMethod: CartDirectPaymentMethodInput
        }
        input CartFreePaymentMethodInput { billingAddress: MailingAddressInput! }
        input CartDirectPaymentMethodInput {
          billingAddress: MailingAddressInput! sessionId: String! cardSource: CartCardSource acceptedSubscriptionTerms: Boolean
        }

        """
}
