// What gateways of trials seal with: those on one database need the same.

export const SECRET_KEY = 'a secret key for trials and of no use to anybody';
