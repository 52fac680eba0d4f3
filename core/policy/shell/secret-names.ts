/** Whether a variable of this name is likely to hold something that is for its owner only. */
export const isSecretName = (name: string): boolean =>
  /KEY|TOKEN|SECRET|PASS|CREDENTIAL|AUTH|COOKIE/i.test(name);
